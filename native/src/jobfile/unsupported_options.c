/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/unsupported_options.h"

#include <string.h>

/* Read off fio's own help (--cmdhelp, --enghelp, --help) and its documentation: a blank behind
 * each. */
static const char *const commands =
	" "
	"client daemonize latency-log merge-blktrace-only remote-config server trigger-remote ";
static const char *const options =
	" "
	"data_placement dataplacement dp_scheme fdp fdp_pli fdp_pli_select merge_blktrace_file "
	"merge_blktrace_iters merge_blktrace_scalars plid_select plids ";
static const char *const engines =
	" "
	"cpp_null dev-dax dfs external "
	"fileoperations gfapi gfapi_async guasi http "
	"ime_aio ime_psync ime_psyncv io_uring_cmd libblkio libcufile libhdfs libiscsi libpmem "
	"librpma_apm_client librpma_apm_server librpma_gpspm_client librpma_gpspm_server libzbc "
	"mtd nbd nfs pmemblk rados rbd rdma sg xnvme ";
static const char *const engine_options =
	" "
	"apptag apptag_mask bindname brick busy_poll busy_wait_polling chunk_size "
	"clientname clustername cmd_type conf cont cuda_io deac direct_write_to_pmem "
	"gpu_dev_ids hdfsdirectory http_host http_mode "
	"http_object_mode http_pass http_s3_key http_s3_keyid http_s3_region "
	"http_s3_security_token http_s3_sse_customer_algorithm http_s3_sse_customer_key "
	"http_s3_storage_class http_swift_auth_token http_user http_verbose https "
	"libblkio_driver libblkio_force_enable_completion_eventfd "
	"libblkio_num_entries libblkio_path libblkio_pre_connect_props "
	"libblkio_pre_start_props libblkio_queue_size libblkio_wait_mode "
	"libblkio_write_zeroes_on_trim md_per_io_size namenode nfs_url "
	"object_class pi_act pi_chk pool rbdname readfua serverip "
	"sg_write_mode single_instance skip_bad stream_id touch_objects "
	"uri verb volume write_mode writefua xnvme_admin xnvme_async "
	"xnvme_dev_nsid xnvme_dev_subnqn xnvme_iovec xnvme_mem xnvme_sync ";

static bool has(const char *names, const char *name)
{
	const size_t length = strlen(name);

	if (!length || strchr(name, ' '))
		return false;
	for (const char *at = strstr(names, name); at; at = strstr(at + length, name))
		if (at[-1] == ' ' && at[length] == ' ')
			return true;
	return false;
}

bool unsupported_option(const char *name)
{
	return has(commands, name) || has(options, name) || has(engine_options, name);
}

bool unsupported_engine_option(const char *name)
{
	return has(engine_options, name);
}

bool unsupported_engine(const char *name)
{
	return has(engines, name) || !strncmp(name, "external:", strlen("external:"));
}
