## kernels: device code. One rule compiles a .cu file; nvcc writes down which headers it read.

HS_KERNELS = \
	kernels/blocked/blocked.cu \
	kernels/control.cu \
	kernels/fields.cu \
	kernels/multigrid/alike.cu \
	kernels/multigrid/cg.cu \
	kernels/multigrid/step.cu \
	kernels/multigrid/coarsen.cu \
	kernels/multigrid/cycle.cu \
	kernels/multigrid/pass.cu \
	kernels/multigrid/product.cu \
	kernels/multigrid/tail.cu \
	kernels/norms.cu \
	kernels/resident/instances/double_1x4.cu \
	kernels/resident/instances/double_2x4.cu \
	kernels/resident/instances/double_2x8.cu \
	kernels/resident/instances/double_4x8.cu \
	kernels/resident/instances/double_4x12.cu \
	kernels/resident/instances/double_4x16.cu \
	kernels/resident/instances/double_4x31.cu \
	kernels/resident/instances/single_2x4.cu \
	kernels/resident/instances/single_2x8.cu \
	kernels/resident/instances/single_4x4.cu \
	kernels/resident/instances/single_4x8.cu \
	kernels/resident/instances/single_8x8.cu \
	kernels/resident/instances/single_8x14.cu \
	kernels/resident/instances/single_8x31.cu \
	kernels/resident/resident.cu \
	kernels/sweep_general.cu \
	kernels/sweep_global.cu \
	kernels/sweep_shared.cu

HS_KERNEL_INCLUDES = \
	kernels/blocked/blocked.h \
	kernels/blocked/producers.cuh \
	kernels/blocked/stages.cuh \
	kernels/blocked/sweep.cuh \
	kernels/device.cuh \
	kernels/kernels.h \
	kernels/launch.cuh \
	kernels/multigrid/alike.cuh \
	kernels/multigrid/multigrid.h \
	kernels/multigrid/node.cuh \
	kernels/multigrid/pass.cuh \
	kernels/multigrid/product.cuh \
	kernels/multigrid/shares.cuh \
	kernels/multigrid/reduce.cuh \
	kernels/multigrid/residual.cuh \
	kernels/multigrid/strips.cuh \
	kernels/multigrid/strips_down.cuh \
	kernels/multigrid/strips_up.cuh \
	kernels/multigrid/tail.cuh \
	kernels/multigrid/tail_level.cuh \
	kernels/multigrid/tail_segments.cuh \
	kernels/multigrid/tiles.cuh \
	kernels/primitives.cuh \
	kernels/resident/block.cuh \
	kernels/resident/instance.cuh \
	kernels/resident/kinds.cuh \
	kernels/resident/patch.cuh \
	kernels/resident/resident.h \
	kernels/resident/sweep.cuh \
	kernels/resident/tile.cuh \
	kernels/rows.cuh

if HAVE_CUDA
libheatsolve_a_SOURCES += $(HS_KERNELS)
endif
EXTRA_DIST += $(HS_KERNELS) $(HS_KERNEL_INCLUDES)

SUFFIXES += .cu
.cu.o:
	$(AM_V_NVCC)$(MKDIR_P) $(@D) && \
	"$(NVCC)" -I$(top_builddir) -I$(top_srcdir)/src -I$(top_srcdir)/kernels $(HS_NVCCFLAGS) $(NVCC_ARCH) $(NVCCFLAGS) \
	  -MMD -MP -MF $*.d -MT $@ -c -o $@ $<

AM_V_NVCC = $(am__v_NVCC_@AM_V@)
am__v_NVCC_ = $(am__v_NVCC_@AM_DEFAULT_V@)
am__v_NVCC_0 = @echo "  NVCC    " $@;
am__v_NVCC_1 =

HS_CUDA_DEPS = $(HS_KERNELS:.cu=.d)
CLEANFILES += $(HS_CUDA_DEPS)
-include $(HS_CUDA_DEPS)
