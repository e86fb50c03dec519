#include "daemon/gpu/picture_launch.hpp"

#include <vector>

namespace glint::gpu {

kernels::Operator operator_of(const PictureTask& task) {
    using kernels::Operator;
    // In the order of PictureTask's alternatives.
    constexpr std::array operators{Operator::lookup, Operator::sobel, Operator::downscale,
                                   Operator::normalise, Operator::planar};
    static_assert(operators.size() == std::variant_size_v<PictureTask>);
    return operators[task.index()];
}

/// Sets a kernel's arguments: those of every picture operator and then the task's own.
class PictureLaunch::Arguments {
  public:
    Arguments(PictureLaunch& launch, cl_mem frame, const Lane& lane, cl_mem output,
              uint32_t output_stride_bytes)
        : launch_(launch),
          frame_(frame),
          lane_(lane),
          output_(output),
          output_stride_bytes_(output_stride_bytes) {}

    void operator()(const Lookup& task) const { set(launch_.use(task.table)); }
    void operator()(const Sobel& task) const {
        set(static_cast<cl_uint>(task.border), cl_uint{task.border_value});
    }
    void operator()(const Downscale&) const { set(); }
    void operator()(const Normalise& task) const {
        set(task.threshold, task.mean, task.gain, task.shift, task.offset);
    }
    void operator()(const Planar& task) const {
        set(task.planes, task.bytes[0], task.bytes[1], task.bytes[2]);
    }

  private:
    template <typename... Own>
    void set(const Own&... own) const {
        set_args(launch_.kernel_.get(), frame_, lane_.offset_bytes, lane_.stride_bytes,
                 lane_.step_bytes, lane_.low_bytes, lane_.shift, lane_.width, lane_.height,
                 lane_.packed_log2, lane_.first_sample, output_, output_stride_bytes_, own...);
    }

    PictureLaunch& launch_;
    cl_mem frame_;
    const Lane& lane_;
    cl_mem output_;
    uint32_t output_stride_bytes_;
};

PictureLaunch::PictureLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)),
      context_(context.handle.get()),
      kernel_(built_->make_first_kernel()) {}

cl_mem PictureLaunch::use(const LookupTable& table) {
    if (!table_buffer_ || table != table_) {
        // A new buffer, not a write into the old one: frames that are enqueued keep theirs.
        table_buffer_ = make_constant(context_, std::vector(table.begin(), table.end()));
        table_ = table;
    }
    return table_buffer_.get();
}

void PictureLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane,
                            const PictureTask& task, cl_mem output, uint32_t output_stride_bytes,
                            Events* events) {
    std::visit(Arguments(*this, frame, lane, output, output_stride_bytes), task);
    PictureSize size = output_size(task, lane);
    // A work-item makes the same pixels of every plane.
    if (const auto* planar = std::get_if<Planar>(&task)) size.height /= planar->planes;
    const size_t local[] = {built_->tunable("LOCAL_X"), built_->tunable("LOCAL_Y")};
    const size_t global[] = {round_up(divide_up(size.width, built_->tunable("COLUMNS")), local[0]),
                             round_up(divide_up(size.height, built_->tunable("ROWS")), local[1])};
    run(queue, kernel_.get(), 2, global, local, events);
}

}  // namespace glint::gpu
