/* A small PNG reader and writer over zlib; see png.h for what it accepts.
 *
 * A PNG is a signature and chunks (length, name, data, CRC of name and data). IHDR comes first,
 * the IDAT chunks joined are one zlib stream, and in it each row begins with the number of the
 * filter that was applied to it (PNG specification, sections 5 and 9). */
#include "png.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

enum { SIDE_MAX = 32768, FILE_BYTES_MAX = 1 << 30 };

static uint32_t load32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store32(unsigned char *p, uint32_t value)
{
    p[0] = (unsigned char)(value >> 24);
    p[1] = (unsigned char)(value >> 16);
    p[2] = (unsigned char)(value >> 8);
    p[3] = (unsigned char)value;
}

/* The whole file in memory from malloc; NULL with `*error` set otherwise. */
static unsigned char *load_file(const char *path, size_t *length, const char **error)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long end;

    if (!file) {
        *error = strerror(errno);
        return NULL;
    }
    *error = "cannot be read";
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 && end <= FILE_BYTES_MAX) {
        rewind(file);
        bytes = malloc((size_t)end + 1);
        if (bytes && fread(bytes, 1, (size_t)end, file) != (size_t)end) {
            free(bytes);
            bytes = NULL;
        }
        *length = (size_t)end;
    }
    fclose(file);
    return bytes;
}

/* PNG's predictor of left (a), upper (b) and upper-left (c). */
static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Takes the filters off `raw` (rows of 1 + stride bytes) into `pixels`. */
static const char *unfilter(const unsigned char *raw, unsigned char *pixels, size_t rows,
                            size_t stride, size_t step)
{
    for (size_t y = 0; y < rows; y++) {
        const unsigned char *in = raw + y * (stride + 1);
        unsigned char *out = pixels + y * stride;
        int kind = *in++;

        if (kind > 4)
            return "has a row with an unknown filter";
        for (size_t x = 0; x < stride; x++) {
            int a = x >= step ? out[x - step] : 0;
            int b = y ? pixels[(y - 1) * stride + x] : 0;
            int c = x >= step && y ? pixels[(y - 1) * stride + x - step] : 0;
            int guess = kind == 0 ? 0
                        : kind == 1 ? a
                        : kind == 2 ? b
                        : kind == 3 ? (a + b) / 2
                                    : paeth(a, b, c);
            out[x] = (unsigned char)(in[x] + guess);
        }
    }
    return NULL;
}

/* Checks IHDR and fills in the picture's shape. */
static const char *read_header(const unsigned char *data, size_t length,
                               struct png_picture *picture)
{
    static const size_t channels_of[7] = {1, 0, 3, 0, 2, 0, 4}; /* by colour type */

    if (length != 13)
        return "has a damaged header";
    picture->width = load32(data);
    picture->height = load32(data + 4);
    if (picture->width < 1 || picture->height < 1 || picture->width > SIDE_MAX ||
        picture->height > SIDE_MAX)
        return "has a side of 0 or of more than 32768 pixels";
    if (data[8] != 8 || data[9] > 6 || channels_of[data[9]] == 0)
        return "is neither 8-bit gray nor 8-bit RGB or RGBA";
    if (data[10] != 0 || data[11] != 0)
        return "uses an unknown compression";
    if (data[12] != 0)
        return "is interlaced, which this reader does not know";
    picture->channels = channels_of[data[9]];
    return NULL;
}

/* Walks the chunks: reads the header and joins the IDAT data in place at the file's front. */
static const char *read_chunks(unsigned char *file, size_t length, struct png_picture *picture,
                               size_t *packed)
{
    size_t at = sizeof signature;
    const char *error;

    *packed = 0;
    picture->channels = 0;
    while (length - at >= 12) {
        size_t size = load32(file + at);
        unsigned char *name = file + at + 4, *data = name + 4;

        if (size > length - at - 12)
            break;
        if (crc32(0, name, (uInt)size + 4) != load32(data + size))
            return "is damaged: a checksum does not match";
        if (memcmp(name, "IHDR", 4) == 0) {
            if ((error = read_header(data, size, picture)))
                return error;
        } else if (memcmp(name, "IDAT", 4) == 0) {
            memmove(file + *packed, data, size);
            *packed += size;
        } else if (memcmp(name, "IEND", 4) == 0) {
            return picture->channels ? NULL : "has no header";
        }
        at += size + 12;
    }
    return "ends too early";
}

/* Inflates and unfilters `packed` bytes at `file` into picture->pixels. */
static const char *decode(const unsigned char *file, size_t packed, struct png_picture *picture)
{
    size_t stride = picture->width * picture->channels;
    uLongf size = (uLongf)((stride + 1) * picture->height), wanted = size;
    unsigned char *raw = malloc(size);
    const char *error;

    picture->pixels = malloc(stride * picture->height);
    if (!raw || !picture->pixels)
        error = "does not fit into memory";
    else if (uncompress(raw, &size, file, (uLong)packed) != Z_OK || size != wanted)
        error = "is damaged: its data cannot be unpacked";
    else
        error = unfilter(raw, picture->pixels, picture->height, stride, picture->channels);
    free(raw);
    if (error) {
        free(picture->pixels);
        picture->pixels = NULL;
    }
    return error;
}

const char *png_read(const char *path, struct png_picture *picture)
{
    size_t length = 0, packed = 0;
    const char *error = NULL;
    unsigned char *file;

    picture->pixels = NULL;
    file = load_file(path, &length, &error);
    if (!file)
        return error;
    if (length < sizeof signature || memcmp(file, signature, sizeof signature) != 0)
        error = "is not a PNG file";
    else if ((error = read_chunks(file, length, picture, &packed)) == NULL)
        error = decode(file, packed, picture);
    free(file);
    return error;
}

static int write_chunk(FILE *out, const char *name, const unsigned char *data, size_t size)
{
    unsigned char head[8], tail[4];
    uLong crc;

    store32(head, (uint32_t)size);
    memcpy(head + 4, name, 4);
    crc = crc32(0, head + 4, 4);
    if (size)
        crc = crc32(crc, data, (uInt)size);
    store32(tail, (uint32_t)crc);
    return fwrite(head, 1, 8, out) == 8 && fwrite(data, 1, size, out) == size &&
           fwrite(tail, 1, 4, out) == 4;
}

/* Rows with the "up" filter: each byte less the one above it, good for smooth pictures. */
static void filter_up(unsigned char *raw, const unsigned char *pixels, size_t rows, size_t stride)
{
    for (size_t y = 0; y < rows; y++) {
        const unsigned char *row = pixels + y * stride;

        *raw++ = 2;
        for (size_t x = 0; x < stride; x++)
            *raw++ = (unsigned char)(row[x] - (y ? pixels[(y - 1) * stride + x] : 0));
    }
}

const char *png_write_rgb(const char *path, size_t width, size_t height,
                          const unsigned char *pixels)
{
    size_t stride = width * 3, size = (stride + 1) * height;
    uLongf packed_size = compressBound((uLong)size);
    unsigned char header[13] = {0}, *raw = malloc(size), *packed = malloc(packed_size);
    const char *error = NULL;
    FILE *out = NULL;

    store32(header, (uint32_t)width);
    store32(header + 4, (uint32_t)height);
    header[8] = 8; /* bits a channel */
    header[9] = 2; /* colour type RGB */
    if (!raw || !packed) {
        error = "does not fit into memory";
    } else {
        filter_up(raw, pixels, height, stride);
        if (compress2(packed, &packed_size, raw, (uLong)size, 6) != Z_OK)
            error = "cannot be packed";
        else if (!(out = fopen(path, "wb")))
            error = strerror(errno);
        else if (fwrite(signature, 1, sizeof signature, out) != sizeof signature ||
                 !write_chunk(out, "IHDR", header, sizeof header) ||
                 !write_chunk(out, "IDAT", packed, packed_size) ||
                 !write_chunk(out, "IEND", header, 0))
            error = "cannot be written in full";
    }
    if (out && fclose(out) != 0 && !error)
        error = strerror(errno);
    free(raw);
    free(packed);
    return error;
}
