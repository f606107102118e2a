import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import type { TextReader } from '../recognize.ts'
import { networkPlanes, type Raster } from '../raster.ts'
import type { Word } from '../text-lines.ts'
import { PP_OCR_FILES } from './files.ts'
import { inkRows, linePicture, lineParts, lineWords, type LinePicture, type LineWord } from './read-line.ts'
import { textAreas, type TextArea } from './text-areas.ts'

/** The weights exist but cannot be used; the message gives the reason. */
export class PpOcrError extends Error {
  override readonly name = 'PpOcrError'
}

/** Longest side of the picture in which text is searched, a multiple of 32. */
const LONGEST_SIDE = 1280
/** Height of the lines that the recognition network was trained on. */
const LINE_HEIGHT = 48
/** Shorter lines are filled up with grey to this width. */
const LINE_WIDTH = 320
/** Longer lines are cut between words: in whole lines of pages at 100 dpi the network dropped every third space. */
const LONGEST_PART = 256

/** Scripts that the dictionary has beside the Latin one: Chinese and Japanese. */
const OTHER_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/**
 * PP-OCR by PaddlePaddle: one network finds the lines of a page, another reads each. Null where the folder lacks one of the files. Throws `PpOcrError`
 * for files that do not fit.
 */
export async function openPpOcr(folder: string): Promise<TextReader | null> {
  const path = (name: keyof typeof PP_OCR_FILES): string => join(folder, PP_OCR_FILES[name])
  const names = Object.keys(PP_OCR_FILES) as (keyof typeof PP_OCR_FILES)[]
  if (!names.every((name) => existsSync(path(name)))) return null
  const [detection, recognition, dictionary] = await Promise.all([
    openNetwork(path('detection')),
    openNetwork(path('recognition')),
    readFile(path('characters'), 'utf8'),
  ])
  const blank: Raster = { pixels: new Uint8Array(64 * 64).fill(255), width: 64, height: 64, widthPt: 24, heightPt: 24 }
  await findAreas(detection, blank)
  const { dims } = await run(recognition, new Float32Array(3 * LINE_HEIGHT * LINE_WIDTH), [
    1,
    3,
    LINE_HEIGHT,
    LINE_WIDTH,
  ])
  const characters = charactersOf(dictionary, dims)
  return {
    otherScripts: OTHER_SCRIPTS,
    async words(page) {
      const areas = await findAreas(detection, page)
      const thickness = areas.map(({ width, height }) => Math.min(width, height)).sort((a, b) => a - b)
      const usual = thickness[Math.floor(thickness.length / 2)] ?? 0
      const words: Word[] = []
      for (const area of areas) words.push(...(await readArea({ recognition, characters }, page, area, usual)))
      const scale = page.widthPt / page.width
      return words.map(({ text, x, y, width, height, confidence }) => ({
        text,
        x: x * scale,
        y: y * scale,
        width: width * scale,
        height: height * scale,
        confidence,
      }))
    },
  }
}

async function openNetwork(file: string): Promise<InferenceSession> {
  const settings = { intraOpNumThreads: availableParallelism(), logSeverityLevel: 4 } as const
  return InferenceSession.create(file, settings).catch((cause: unknown) => {
    throw new PpOcrError(`${basename(file)} is damaged or not an ONNX model`, { cause })
  })
}

async function run(session: InferenceSession, input: Float32Array, dims: number[]): Promise<Tensor> {
  const results = await session
    .run({ [session.inputNames[0]!]: new Tensor('float32', input, dims) })
    .catch((cause: unknown) => {
      throw new PpOcrError('its weights cannot be run on a page', { cause })
    })
  return results[session.outputNames[0]!]!
}

/** Finds the boxes of text, in pixels of the page. */
async function findAreas(session: InferenceSession, page: Raster): Promise<TextArea[]> {
  const shrink = Math.min(1, LONGEST_SIDE / Math.max(page.width, page.height))
  const side = (length: number): number => Math.max(32, Math.round((length * shrink) / 32) * 32)
  const [width, height] = [side(page.width), side(page.height)]
  const grey = await sharp(page.pixels, { raw: { width: page.width, height: page.height, channels: 1 } })
    .resize({ width, height, fit: 'fill', kernel: 'linear' })
    .greyscale()
    .raw()
    .toBuffer()
  const { data, dims } = await run(session, networkPlanes(grey), [1, 3, height, width])
  if (dims.join() !== `1,1,${height},${width}`)
    throw new PpOcrError(`its detection network gives [${dims.join(', ')}] for a picture of ${width} × ${height}`)
  const [across, down] = [page.width / width, page.height / height]
  return textAreas({ values: data as Float32Array, width, height }).map((area) => ({
    x: area.x * across,
    y: area.y * down,
    width: area.width * across,
    height: area.height * down,
    angle: area.angle,
  }))
}

interface LineReader {
  recognition: InferenceSession
  characters: readonly string[]
}

/** The words of one area, in pixels of the page. */
async function readArea(
  { recognition, characters }: LineReader,
  page: Raster,
  area: TextArea,
  usualHeight: number,
): Promise<Word[]> {
  // A digit alone is taller than wide as well, but no taller than other lines.
  const isSideways = area.height > area.width * 1.5 && area.height > usualHeight * 2
  const level = isSideways ? { ...area, width: area.height, height: area.width, angle: area.angle - Math.PI / 2 } : area
  const line = linePicture(page, level, LINE_HEIGHT)
  const found: LineWord[] = []
  for (const part of lineParts(line, LONGEST_PART)) {
    const width = Math.max(part[1] - part[0], LINE_WIDTH)
    const { data, dims } = await run(recognition, filledUp(line, part, width), [1, 3, LINE_HEIGHT, width])
    found.push(...lineWords(data as Float32Array, characters, width / dims[1]!, part))
  }
  const scale = level.height / LINE_HEIGHT
  return found.map(({ text, from, to, confidence }) => {
    const [top, bottom] = inkRows(line, from, to)
    const along = ((from + to) / 2) * scale - level.width / 2
    const across = ((top + bottom) / 2) * scale - level.height / 2
    const [cos, sin] = [Math.cos(level.angle), Math.sin(level.angle)]
    const [length, thickness] = [(to - from) * scale, (bottom - top) * scale]
    const [width, height] = isSideways ? [thickness, length] : [length, thickness]
    const x = level.x + along * cos - across * sin - width / 2
    const y = level.y + along * sin + across * cos - height / 2
    return { text, x, y, width, height, confidence }
  })
}

/** A part of a line in three equal planes from -1 to 1; what is added to reach the width is 0. */
function filledUp(
  { pixels, width, height }: LinePicture,
  [from, to]: readonly [number, number],
  full: number,
): Float32Array {
  const input = new Float32Array(3 * height * full)
  for (let row = 0; row < height; row += 1)
    for (let column = from; column < to; column += 1) {
      const value = pixels[row * width + column]! / 127.5 - 1
      for (let colour = 0; colour < 3; colour += 1) input[(colour * height + row) * full + column - from] = value
    }
  return input
}

/** The dictionary has one character in each line; class 0 of the network means "none", and its last one is the space. */
function charactersOf(dictionary: string, dims: readonly number[]): string[] {
  const characters = ['', ...dictionary.replace(/\r?\n$/, '').split(/\r?\n/), ' ']
  if (dims.length === 3 && characters.length === dims[2]) return characters
  throw new PpOcrError(
    `its recognition network gives [${dims.join(', ')}], which does not fit the ${characters.length - 2} characters of ${PP_OCR_FILES.characters}`,
  )
}
