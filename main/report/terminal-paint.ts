import { APPROACHES } from '../../contract/index.ts'
import type { BaseApproach } from '../../contract/index.ts'

const BASE_MARK = '■'
/** Flavors have their approach's hue and another marker. */
const FLAVOR_MARKS = ['◆', '▼', '◇', '□', '▽']

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan' | BaseApproach

const CODES: Readonly<Record<string, [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  cyan: [36, 39],
}

/** A piece of a line. Its text is already free of escape codes. */
export interface Segment {
  text: string
  style?: Style
}

/** Segments → text with colours, or plain. */
export function paint(segments: readonly Segment[], color: boolean): string {
  return segments.map(({ text, style }) => (color && style !== undefined ? painted(text, style) : text)).join('')
}

function painted(text: string, style: Style): string {
  const code = CODES[style]
  if (code !== undefined) return `\u001b[${code[0]}m${text}\u001b[${code[1]}m`
  const hex = APPROACHES[style as BaseApproach].colour
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return `\u001b[38;2;${red};${green};${blue}m${text}\u001b[39m`
}

/** The marker of an alias: its base's square, or one of its flavors' marks in the order of the table. */
export function approachMark(flavor: string | null, place: number): string {
  return flavor === null ? BASE_MARK : FLAVOR_MARKS[place % FLAVOR_MARKS.length]!
}
