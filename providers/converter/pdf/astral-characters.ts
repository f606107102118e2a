import { constants, deflateSync, inflateSync } from 'node:zlib'

/** A PDF whose text is in the basic plane, and what brings the characters back. */
export interface BasicPlanePdf {
  source: Buffer
  restore: (text: string) => string
}

/** Codes of the private use area that replace other characters for a while. Fonts of symbols use the ones after them. */
const FIRST_CODE = 0xe000
const LAST_CODE = 0xefff
const MAX_MAP_BYTES = 4 * 1024 * 1024
const PREFIX_BYTES = 4096
/** Text packs to a tenth: what a prefix of another kind unpacks to is not waited for. */
const MAX_HEAD_BYTES = 512 * 1024
const SURROGATES = /d[89ab][0-9a-f]{2}d[c-f][0-9a-f]{2}/i

/**
 * The layout engine drops characters above U+FFFF, such as the italics of formulas. A font names its characters in a ToUnicode map: maps that name such
 * characters are rewritten in place, with codes of the private use area. The maps of an encrypted PDF cannot be read; it stays as it is.
 */
export function inBasicPlane(source: Buffer): BasicPlanePdf {
  const maps = toUnicodeMaps(source)
  if (!maps.some(({ text }) => SURROGATES.test(text))) return { source, restore: (text) => text }
  const characters = new Map<string, string>()
  const codes = new Map<number, number>()
  let next = firstFreeCode(maps)
  const codeOf = (point: number, count: number): number | null => {
    const known = count === 1 ? codes.get(point) : undefined
    if (known !== undefined) return known
    if (next + count - 1 > LAST_CODE) return null
    const first = next
    next += count
    for (let index = 0; index < count; index += 1) {
      characters.set(String.fromCharCode(first + index), String.fromCodePoint(point + index))
      codes.set(point + index, first + index)
    }
    return first
  }
  const changed = Buffer.from(source)
  for (const map of maps) if (SURROGATES.test(map.text)) put(changed, map, rewritten(map.text, codeOf))
  return {
    source: changed,
    restore: (text) => text.replaceAll(/[\uE000-\uEFFF]/g, (code) => characters.get(code) ?? code),
  }
}

/** The text of a ToUnicode map and where its stream lies in the file. */
interface UnicodeMap {
  text: string
  from: number
  to: number
  isPacked: boolean
}

function toUnicodeMaps(source: Buffer): UnicodeMap[] {
  const maps: UnicodeMap[] = []
  for (let at = source.indexOf('stream'); at >= 0; at = source.indexOf('stream', at + 6)) {
    if (source.subarray(at - 3, at).equals(END)) continue
    const before = source.toString('latin1', Math.max(0, at - 400), at)
    const dictionary = before.slice(before.lastIndexOf(' obj') + 1)
    if (/\/(?:Subtype|Length1|Length2|ObjStm|XRef)/.test(dictionary)) continue
    const from = at + (source[at + 6] === 13 && source[at + 7] === 10 ? 8 : 7)
    const end = source.indexOf('endstream', from)
    if (end < 0) break
    const stated = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(dictionary)?.[1] ?? Number.NaN)
    const to = Number.isNaN(stated) || from + stated > end ? end : from + stated
    const filter = /\/Filter\s*\[?\s*\/(\w+)/.exec(dictionary)?.[1]
    const isPacked = filter === 'FlateDecode' || filter === 'Fl'
    if (filter !== undefined && !isPacked) continue
    const text = mapText(source.subarray(from, to), isPacked)
    if (text !== null) maps.push({ text, from, to, isPacked })
  }
  return maps
}

const END = Buffer.from('end')

/** Null for a stream that is no such map. */
function mapText(bytes: Buffer, isPacked: boolean): string | null {
  try {
    const prefix = bytes.subarray(0, PREFIX_BYTES)
    const head = isPacked
      ? inflateSync(prefix, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES })
      : prefix
    if (!head.includes('begincmap')) return null
    const whole = isPacked
      ? inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_MAP_BYTES })
      : bytes
    return whole.toString('latin1')
  } catch {
    // Damaged, encrypted or too large: the engine has its own word on that.
    return null
  }
}

/** Codes that the file's own maps give to its characters are left to them. */
function firstFreeCode(maps: readonly UnicodeMap[]): number {
  const used = maps.flatMap(({ text }) =>
    [...text.matchAll(/<(e[0-9a-f]{3})>/gi)].map(([, code]) => Number.parseInt(code!, 16)),
  )
  return used.reduce((most, code) => Math.max(most, code), FIRST_CODE - 1) + 1
}

type CodeOf = (point: number, count: number) => number | null

const hex = (value: number): string => value.toString(16).padStart(4, '0')

/** A map's text with one code for each pair of surrogates; a range that begins with a pair gets a range of codes. */
function rewritten(text: string, codeOf: CodeOf): string {
  const pairs = (target: string, count: number): string => replacePairs(target.replaceAll(/\s/g, ''), count, codeOf)
  const codeIn = (source: string): number => Number.parseInt(source.replaceAll(/\s/g, ''), 16)
  const ranges = text.replaceAll(/beginbfrange([\s\S]*?)endbfrange/g, (section) =>
    section.replaceAll(
      // The targets of a range may be a list, each of them one of its own.
      /\[[^\]]*\]|<([0-9a-f\s]+)>(\s*)<([0-9a-f\s]+)>(\s*)<([0-9a-f\s]+)>/gi,
      (all: string, low: string | undefined, a: string, high: string, b: string, target: string) => {
        if (low === undefined) return all
        const count = Math.max(1, codeIn(high) - codeIn(low) + 1)
        return `<${low}>${a}<${high}>${b}<${pairs(target, count)}>`
      },
    ),
  )
  return ranges.replaceAll(/<([0-9a-f\s]{8,})>/gi, (_, target: string) => `<${pairs(target, 1)}>`)
}

/** The last pair of a range's target is the one that is counted up. */
function replacePairs(units: string, count: number, codeOf: CodeOf): string {
  const all = units.match(/[0-9a-f]{4}/gi) ?? []
  let out = ''
  for (let index = 0; index < all.length; index += 1) {
    const high = Number.parseInt(all[index]!, 16)
    const low = Number.parseInt(all[index + 1] ?? '0', 16)
    const isPair = (high & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00
    const isLast = index + 2 >= all.length
    const code = isPair ? codeOf(((high & 0x3ff) << 10) + (low & 0x3ff) + 0x10000, isLast ? count : 1) : null
    out += code === null ? all[index]! : hex(code)
    if (code !== null) index += 1
  }
  return out
}

/** Writes a map over its former self; what is left of the room is filled up. One that does not fit stays as it was. */
function put(target: Buffer, { from, to, isPacked }: UnicodeMap, text: string): void {
  const bytes = isPacked ? deflateSync(Buffer.from(text, 'latin1'), { level: 9 }) : Buffer.from(text, 'latin1')
  const fitting =
    bytes.length <= to - from
      ? bytes
      : isPacked
        ? deflateSync(Buffer.from(text.replaceAll(/\s+/g, ' '), 'latin1'), { level: 9 })
        : bytes
  if (fitting.length > to - from) return
  target.fill(isPacked ? 0 : 32, from, to)
  fitting.copy(target, from)
}
