# Cameras of the kernel's vivid driver.
CHECKS = []
