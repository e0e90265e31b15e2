/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOGATE_VERSION_H
#define IOGATE_VERSION_H

#define IOGATE_ENGINE_NAME "iogate-engine"
#define IOGATE_ENGINE_VERSION "0.1.0"

#endif
