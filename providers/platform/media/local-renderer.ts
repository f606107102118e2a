import { createHash } from 'node:crypto'
import { z } from 'zod'
import { runInTurns } from '../sliced-work.ts'
import type { SlicedWork } from '../sliced-work.ts'

/** The one model of the local provider. */
export const LOCAL_MODEL = 'pattern-1'
/** The program draws it from numbers; no right in it belongs to anyone else. */
export const LOCAL_LICENSE = 'CC0-1.0'

/** What a local operation draws. */
export const LocalInput = z.strictObject({
  prompt: z.string().trim().min(1).max(4000),
  negative_prompt: z.string().max(4000).optional(),
  width: z.number().int().min(64).max(4096).default(512),
  height: z.number().int().min(64).max(4096).default(512),
  seed: z.number().int().min(0).max(0xff_ff_ff_ff).optional(),
})
export type LocalInput = z.infer<typeof LocalInput>

/** The seed of a prompt that names none. */
export const seedOf = ({ prompt, seed }: LocalInput): number =>
  seed ?? createHash('sha256').update(prompt).digest().readUInt32BE(0)

const OCTAVES = 4
const GRID = 256

/**
 * Draws a picture as RGB bytes, row after row: a landscape of value noise in three colours and a few discs. It is a function of prompt, seed and size
 * alone, and no language model reads the prompt: it stands in for an image model where none is there. The signal ends it between two turns.
 */
export async function renderPattern(input: LocalInput, signal?: AbortSignal): Promise<Buffer> {
  return runInTurns(drawPattern(input), signal)
}

function* drawPattern(input: LocalInput): SlicedWork<Buffer> {
  const { width, height } = input
  const digest = createHash('sha512')
    .update(`${seedOf(input)}\n${input.prompt}\n${input.negative_prompt ?? ''}`)
    .digest()
  const lattice = latticeOf(digest)
  const colours = [0, 1, 2].map((index) => colourOf(digest[index]! / 255))
  const discs = Array.from({ length: 3 + (digest[3]! % 5) }, (_, index) => ({
    x: (digest[4 + index * 4]! / 255) * width,
    y: (digest[5 + index * 4]! / 255) * height,
    radius: (0.05 + (digest[6 + index * 4]! / 255) * 0.15) * Math.min(width, height),
    colour: colourOf(digest[7 + index * 4]! / 255),
  }))
  const scale = 6 / Math.max(width, height)
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let [red, green, blue] = mixed(colours, noise(lattice, x * scale, y * scale))
      for (const disc of discs) {
        // One pixel of transition: edges are smooth.
        const inside = Math.min(1, Math.max(0, disc.radius - Math.hypot(x - disc.x, y - disc.y)))
        if (inside === 0) continue
        const share = 0.6 * inside
        red += (disc.colour[0] - red) * share
        green += (disc.colour[1] - green) * share
        blue += (disc.colour[2] - blue) * share
      }
      const at = (y * width + x) * 3
      pixels[at] = red
      pixels[at + 1] = green
      pixels[at + 2] = blue
    }
    yield
  }
  return pixels
}

/** A PNG file of RGB bytes. */
export async function encodePng(pixels: Buffer, width: number, height: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

type Colour = readonly [number, number, number]

function latticeOf(digest: Buffer): Float64Array {
  const lattice = new Float64Array(GRID * GRID)
  let state = digest.readUInt32BE(32)
  for (let index = 0; index < lattice.length; index += 1) {
    // xorshift32: repeatable, and never 0.
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    if (state === 0) state = 1
    lattice[index] = (state >>> 0) / 2 ** 32
  }
  return lattice
}

/** Sum of smooth noise at doubled frequencies, 0 to 1. */
function noise(lattice: Float64Array, x: number, y: number): number {
  let sum = 0
  let weight = 0.5
  let total = 0
  for (let octave = 0; octave < OCTAVES; octave += 1) {
    const frequency = 2 ** octave
    sum += weight * smooth(lattice, x * frequency, y * frequency)
    total += weight
    weight /= 2
  }
  return sum / total
}

function smooth(lattice: Float64Array, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const ease = (part: number): number => part * part * (3 - 2 * part)
  const [across, down] = [ease(x - left), ease(y - top)]
  const at = (column: number, row: number): number => lattice[(row % GRID) * GRID + (column % GRID)]!
  const upper = at(left, top) + (at(left + 1, top) - at(left, top)) * across
  const lower = at(left, top + 1) + (at(left + 1, top + 1) - at(left, top + 1)) * across
  return upper + (lower - upper) * down
}

function mixed(colours: readonly Colour[], share: number): [number, number, number] {
  const place = Math.min(0.9999, Math.max(0, (share - 0.2) / 0.6)) * (colours.length - 1)
  const [from, to] = [colours[Math.floor(place)]!, colours[Math.floor(place) + 1]!]
  const part = place - Math.floor(place)
  return [0, 1, 2].map((channel) => from[channel]! + (to[channel]! - from[channel]!) * part) as [number, number, number]
}

/** A colour of a hue, 0 to 1. */
function colourOf(hue: number): Colour {
  const channel = (shift: number): number => {
    const turn = (hue * 6 + shift) % 6
    return 60 + 180 * Math.max(0, Math.min(1, Math.min(turn, 4 - turn)))
  }
  return [channel(5), channel(3), channel(1)]
}
