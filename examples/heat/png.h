/* PNG files for the heat example: 8-bit gray, gray+alpha, RGB and RGBA in, RGB out.
 * Needs zlib and nothing else. Called by heat.c on the rank that does the files. */
#ifndef HEAT_PNG_H
#define HEAT_PNG_H

#include <stddef.h>

/* A decoded picture: `channels` bytes a pixel, rows from the top, no padding. */
struct png_picture {
    size_t width, height, channels;
    unsigned char *pixels; /* from malloc; the caller frees it */
};

/* Reads `path`. Returns NULL, or a sentence (static) that says why it could not. */
const char *png_read(const char *path, struct png_picture *picture);

/* Writes width x height RGB pixels to `path`. Returns NULL, or why it could not. */
const char *png_write_rgb(const char *path, size_t width, size_t height,
                          const unsigned char *pixels);

#endif
