#!/usr/bin/env python3
"""Compares D-Bus interface descriptions and the bus policy. Prints every difference; exits with 1
if there is one.

  compare_introspection.py compare INTERFACE LIVE.xml SOURCE.xml
  compare_introspection.py policy POLICY.conf SOURCE.xml...
"""
import sys
import xml.etree.ElementTree as ET

EMITS = "org.freedesktop.DBus.Property.EmitsChangedSignal"


def annotations(element):
    found = {a.get("name"): a.get("value") for a in element.findall("annotation")}
    if element.tag == "property":
        found.setdefault(EMITS, "true")  # what the specification says of its absence
    return found


def describe(interface):
    """{"method Start": facts, ...}; two descriptions are the same if these are equal."""
    members = {}
    for element in interface:
        if element.tag == "annotation":
            continue
        key = f"{element.tag} {element.get('name')}"
        default = "in" if element.tag == "method" else "out"
        args = [
            f"{arg.get('direction', default)} {arg.get('type')} {arg.get('name')}"
            for arg in element.findall("arg")
        ]
        if element.tag == "method":
            # The order within each direction counts, not how the two are interleaved.
            args.sort(key=lambda arg: not arg.startswith("in "))
        facts = {"arguments": args, "annotations": annotations(element)}
        if element.tag == "property":
            facts["type"] = element.get("type")
            facts["access"] = element.get("access")
        if key in members:
            members[key + " (again)"] = facts
        members[key] = facts
    members["interface"] = annotations(interface)
    return members


def find_interface(path, name):
    for interface in ET.parse(path).getroot().iter("interface"):
        if interface.get("name") == name:
            return interface
    sys.exit(f"{path}: no interface {name}")


def compare(name, live_path, source_path):
    live = describe(find_interface(live_path, name))
    source = describe(find_interface(source_path, name))
    differences = [f"{key}: not in the XML" for key in sorted(live.keys() - source.keys())]
    differences += [f"{key}: not in the service" for key in sorted(source.keys() - live.keys())]
    for key in sorted(live.keys() & source.keys()):
        if live[key] != source[key]:
            differences.append(f"{key}: service {live[key]}, XML {source[key]}")
    return differences


def policy(policy_path, source_paths):
    members = set()
    writable = False
    for path in source_paths:
        for interface in ET.parse(path).getroot().iter("interface"):
            for method in interface.findall("method"):
                members.add((interface.get("name"), method.get("name")))
            writable |= any("write" in p.get("access") for p in interface.findall("property"))
    if writable:
        members.add(("org.freedesktop.DBus.Properties", "Set"))
    named = {
        (rule.get("send_interface"), rule.get("send_member"))
        for rule in ET.parse(policy_path).getroot().iter("allow")
        if rule.get("send_member")
    }
    differences = [f"{i}.{m}: the policy forgets it" for i, m in sorted(members - named)]
    differences += [
        f"{i}.{m}: only the policy knows it"
        for i, m in sorted(named - members)
        if i.startswith("org.glintd1.")
    ]
    return differences


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "compare":
        differences = compare(*sys.argv[2:])
    elif len(sys.argv) >= 4 and sys.argv[1] == "policy":
        differences = policy(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
    print("\n".join(differences), end="\n" if differences else "")
    sys.exit(1 if differences else 0)


main()
