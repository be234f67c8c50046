"""Renders murmuration.png: starlings over a lake at dusk, the heat example's first temperature.

Run by hand when the picture is to change: `python3 make_picture.py [out.png]`. It needs nothing
but the standard library; the same seed gives the same picture. The checked-in PNG is its output.
"""

import math
import random
import sys

import png

WIDTH, HEIGHT = 768, 512
WATER_LINE = 0.765  # height of the shore, 0 at the top
SUN = (0.655, 0.672, 0.046)  # centre (x, y) and radius, in heights except x in widths

SKY = [  # height, colour: from the zenith down to the shore
    (0.00, (26, 34, 74)),
    (0.22, (58, 58, 112)),
    (0.42, (128, 84, 132)),
    (0.58, (214, 120, 112)),
    (0.70, (250, 170, 104)),
    (0.80, (255, 206, 128)),
]
HILLS = [  # base, relief, roughness, seed, colour: far ones first
    (0.700, 0.050, 2.1, 11, (196, 122, 118)),
    (0.722, 0.056, 3.3, 29, (140, 88, 108)),
    (0.742, 0.046, 5.2, 47, (84, 58, 86)),
    (0.764, 0.030, 9.0, 83, (40, 32, 58)),
]


def mix(a, b, t):
    """The colour `t` of the way from a to b."""
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def smooth(low, high, x):
    """0 below low, 1 above high, and a smooth step between."""
    t = min(1.0, max(0.0, (x - low) / (high - low)))
    return t * t * (3 - 2 * t)


def lattice(ix, iy, seed):
    """A repeatable number in 0..1 for a lattice point."""
    h = (ix * 374761393 + iy * 668265263 + seed * 2147483647) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((h ^ (h >> 16)) & 0xFFFF) / 65535.0


def noise(x, y, seed, octaves=4):
    """Value noise summed over octaves, in 0..1."""
    total, weight, size = 0.0, 0.5, 0.0
    for octave in range(octaves):
        ix, iy = math.floor(x), math.floor(y)
        u, v = x - ix, y - iy
        u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
        s = seed + octave
        top = lattice(ix, iy, s) * (1 - u) + lattice(ix + 1, iy, s) * u
        low = lattice(ix, iy + 1, s) * (1 - u) + lattice(ix + 1, iy + 1, s) * u
        total += weight * (top * (1 - v) + low * v)
        size += weight
        weight *= 0.5
        x, y = x * 2.03, y * 2.03
    return total / size


def sky_colour(px, py):
    """Gradient, glow around the sun, the sun, and thin clouds lit from below."""
    x, y = px / WIDTH, py / HEIGHT
    colour = SKY[-1][1]
    for (y0, c0), (y1, c1) in zip(SKY, SKY[1:]):
        if y <= y1:
            colour = mix(c0, c1, max(0.0, (y - y0) / (y1 - y0)))
            break
    dx, dy = (x - SUN[0]) * WIDTH / HEIGHT, y - SUN[1]
    far = math.hypot(dx, dy)
    colour = mix(colour, (255, 214, 140), 0.75 * math.exp(-far * 5.5))
    streak = noise(x * 3.2 + y * 2.0, y * 17.0, 5)
    cloud = smooth(0.52, 0.80, streak) * smooth(0.05, 0.30, y) * smooth(0.74, 0.50, y)
    lit = mix((88, 66, 110), (255, 176, 128), smooth(0.15, 0.62, y))
    colour = mix(colour, lit, 0.62 * cloud)
    return mix((255, 246, 214), colour, smooth(SUN[2] - 0.004, SUN[2] + 0.004, far))


def ridge(x, hill):
    """Height of a hill's upper edge at x (0 at the top of the picture)."""
    base, relief, rough, seed, _ = hill
    edge = base - relief * (noise(x * rough, 0.5, seed) - 0.15)
    if hill is HILLS[-1]:  # the shore carries trees
        crown = noise(x * 95.0, 3.7, 7, 2) * smooth(0.35, 0.60, noise(x * 7.0, 9.1, 3, 2))
        edge -= 0.042 * crown
    return edge


def land(picture):
    """Paints sky and hills, each hill hazier towards its foot."""
    for py in range(int(HEIGHT * WATER_LINE) + 1):
        for px in range(WIDTH):
            picture[py][px] = sky_colour(px, py)
    for hill in HILLS:
        for px in range(WIDTH):
            top = ridge(px / WIDTH, hill) * HEIGHT
            glow = math.exp(-(((px / WIDTH - SUN[0]) / 0.22) ** 2))
            for py in range(max(0, int(top)), int(HEIGHT * WATER_LINE) + 1):
                depth = (py - top) / HEIGHT
                colour = mix(hill[4], (255, 186, 128), 0.30 * glow + 1.6 * max(0.0, depth))
                cover = min(1.0, max(0.0, py + 1 - top))
                picture[py][px] = mix(picture[py][px], colour, cover)


def flock(rng, count):
    """Birds on a thin folded sheet: where it folds, the flock is dark, as in the sky."""
    birds = []
    while len(birds) < count:
        u, v = rng.random(), rng.gauss(0.0, 0.33)
        if abs(v) > 1.0 or rng.random() > 0.20 + 0.80 * math.sin(math.pi * min(1.0, u * 1.04)):
            continue
        body = 0.016 + 0.105 * math.sin(math.pi * u) ** 1.3
        body += 0.060 * math.exp(-(((u - 0.74) / 0.11) ** 2))
        x = 0.085 + 0.70 * u + 0.022 * math.sin(9.0 * u + 2.4 * v)
        y = 0.455 - 0.150 * math.sin(2.9 * u + 0.1) + 0.085 * math.sin(6.9 * u + 0.3)
        twist = 5.6 * u - 0.6
        y += v * body * 1.35 + body * 0.62 * math.sin(twist + 3.1 * v)
        x += 0.055 * math.cos(twist * 1.2 + 2.6 * v) * (0.35 + abs(v))
        near = min(1.0, max(0.0, 0.5 + 0.5 * math.sin(twist + 2.0 * v)))
        x += rng.gauss(0, 0.0022)
        y += rng.gauss(0, 0.0032)
        birds.append((x * WIDTH, y * HEIGHT, near))
    for _ in range(count // 28):  # stragglers
        x, y, near = birds[rng.randrange(count)]
        birds.append((x + rng.gauss(0, 20), y + rng.gauss(0, 15), near))
    return birds


def stroke(picture, ax, ay, bx, by, thick, alpha, colour):
    """A short antialiased line."""
    for py in range(max(0, int(min(ay, by) - 2)), min(HEIGHT, int(max(ay, by) + 3))):
        for px in range(max(0, int(min(ax, bx) - 2)), min(WIDTH, int(max(ax, bx) + 3))):
            dx, dy = bx - ax, by - ay
            along = ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy + 1e-9)
            along = min(1.0, max(0.0, along))
            gap = math.hypot(px - ax - along * dx, py - ay - along * dy)
            cover = min(1.0, max(0.0, thick - gap + 0.5)) * alpha
            if cover > 0.0:
                picture[py][px] = mix(picture[py][px], colour, cover)


def birds(picture, rng):
    """Draws the flock: each bird two wing strokes, larger and darker when near."""
    for x, y, near in flock(rng, 7600):
        span = 0.8 + 1.5 * near * rng.random()
        lean, lift = rng.uniform(-0.5, 0.5), rng.uniform(-0.7, 0.5)
        alpha = 0.42 + 0.40 * near
        ink = (30, 24, 44)
        stroke(picture, x, y, x - span, y - span * (lift + lean), 0.25, alpha, ink)
        stroke(picture, x, y, x + span, y - span * (lift - lean), 0.25, alpha, ink)


def water(picture):
    """Mirrors the land in the lake, broken by ripples that widen towards the viewer."""
    shore = int(HEIGHT * WATER_LINE)
    for py in range(shore, HEIGHT):
        depth = (py - shore) / (HEIGHT - shore)
        for px in range(WIDTH):
            wave = noise(px / (26 + 70 * depth), py / (1.6 + 6.0 * depth), 61, 3) - 0.5
            my = shore - 1 - (py - shore) * 1.55 + wave * (5 + 62 * depth)
            mx = px + wave * (3 + 16 * depth)
            row = picture[min(shore - 1, max(0, int(my)))]
            colour = mix(row[min(WIDTH - 1, max(0, int(mx)))], (34, 28, 58), 0.16 + 0.44 * depth)
            dx = abs(px / WIDTH - SUN[0]) / (0.018 + 0.055 * depth)
            glint = math.exp(-dx * dx) * smooth(0.46, 0.62, wave + 0.5)
            picture[py][px] = mix(colour, (255, 226, 160), 0.85 * glint * (1 - 0.45 * depth))


def reeds(picture, rng):
    """Dark reeds in the two lower corners."""
    for _ in range(150):
        left = rng.random() < 0.62
        edge = rng.random() ** 1.6
        x = edge * WIDTH * 0.24 if left else WIDTH - edge * WIDTH * 0.14
        tall = (0.16 - 0.11 * edge) * HEIGHT * rng.uniform(0.6, 1.15)
        bend = rng.uniform(-0.25, 0.32) * tall
        steps = 9
        for i in range(steps):
            a, b = i / steps, (i + 1) / steps
            ink = (16, 15, 30)
            stroke(picture, x + bend * a * a, HEIGHT - tall * a, x + bend * b * b,
                   HEIGHT - tall * b, 0.85 - 0.65 * a, 1.0, ink)
        if rng.random() < 0.22:  # a cattail's head
            stroke(picture, x + bend * 0.86, HEIGHT - tall * 0.93, x + bend * 0.99,
                   HEIGHT - tall, 1.7, 1.0, (22, 16, 26))


def main():
    """Paints back to front and writes the file."""
    rng = random.Random(1889)
    picture = [[(0.0, 0.0, 0.0)] * WIDTH for _ in range(HEIGHT)]
    land(picture)
    birds(picture, rng)
    water(picture)
    reeds(picture, rng)
    pixels = bytes(min(255, max(0, int(v + 0.5))) for row in picture for p in row for v in p)
    path = sys.argv[1] if len(sys.argv) > 1 else "murmuration.png"
    png.write(path, WIDTH, HEIGHT, pixels, kinds=range(5))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
