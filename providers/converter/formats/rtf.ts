import { ConversionError } from '../model/conversion-error.ts'
import { tidy, type Block, type Document } from '../model/document.ts'
import { lowered, raised, writtenScripts } from '../model/scripts.ts'
import { findLibreOffice, modernize } from './libreoffice.ts'
import { readDocx } from './docx.ts'

/** Groups that hold no text of the body; so do those that begin with an asterisk. Numbers of lists (`listtext`) are text. */
const SKIPPED = new Set(
  'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf listtable listoverridetable generator themedata revtbl rsidtbl filetbl fldinst bkmkstart bkmkend xe tc'.split(
    ' ',
  ),
)
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: ' ',
  cell: ' ',
  line: ' ',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
}
const PARAGRAPH_ENDS = new Set(['par', 'row', 'sect', 'page'])
/** Characters to skip after one that is given by its number. */
const USUAL_SUBSTITUTES = 1

const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)/gi

interface Group {
  isSkipped: boolean
  isHidden: boolean
  shift: 'raised' | 'lowered' | null
  substitutes: number
}

/** A file in Rich Text Format: through LibreOffice where it is installed, else its texts without their structure. */
export async function readRtf(bytes: Uint8Array): Promise<Document> {
  const program = await findLibreOffice()
  if (program !== null)
    return { ...(await readDocx(await modernize(program, bytes, 'rtf', 'docx'))), sourceFormat: 'rtf' }
  const { paragraphs, hidden } = textsOf(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'),
  )
  const blocks = paragraphs.map((text): Block => ({ kind: 'paragraph', text, place: null }))
  const warnings = [
    'read as plain text, without headings, tables, pictures, headers and footers: LibreOffice is not installed here',
  ]
  if (hidden > 0) warnings.push(`hidden text was left out in ${hidden} ${hidden === 1 ? 'place' : 'places'}`)
  return { sourceFormat: 'rtf', pages: [], blocks, images: [], warnings }
}

/** Deepest nesting of groups: hostile files nest without end. */
const MAX_GROUPS = 10_000

function textsOf(rtf: string): { paragraphs: string[]; hidden: number } {
  const decoder = new TextDecoder(encodingOf(Number(/\\ansicpg(\d{1,5})/.exec(rtf.slice(0, 4096))?.[1] ?? 1252)))
  const paragraphs: string[] = []
  const open: Group[] = []
  let group: Group = { isSkipped: false, isHidden: false, shift: null, substitutes: USUAL_SUBSTITUTES }
  let text = ''
  /** Bytes of the document's own encoding that are not decoded yet: some characters have two. */
  let bytes: number[] = []
  let skip = 0
  let hidden = 0
  let wasHidden = false
  const add = (part: string): void => {
    if (group.isSkipped) return
    if (group.isHidden) hidden += wasHidden ? 0 : 1
    else text += group.shift === null ? part : (group.shift === 'raised' ? raised : lowered)(part)
    wasHidden = group.isHidden
  }
  const decode = (): void => {
    if (bytes.length > 0) add(decoder.decode(Uint8Array.from(bytes)))
    bytes = []
  }
  const end = (): void => {
    const shown = writtenScripts(tidy(text))
    if (shown !== '') paragraphs.push(shown)
    text = ''
    wasHidden = false
  }
  for (const [, word, number, code, sign, brace, plain] of rtf.matchAll(TOKEN)) {
    if (code !== undefined) {
      if (skip > 0) skip -= 1
      else bytes.push(Number.parseInt(code, 16))
      continue
    }
    decode()
    if (plain !== undefined) {
      add(plain.slice(Math.min(skip, plain.length)))
      skip = Math.max(0, skip - plain.length)
    } else if (brace === '{') {
      if (open.length > MAX_GROUPS) throw new ConversionError('damaged', 'the RTF file is nested too deeply')
      open.push(group)
      group = { ...group }
    } else if (brace === '}') {
      group = open.pop() ?? group
      skip = 0
    } else if (sign !== undefined) {
      if (sign === '*') group.isSkipped = true
      else add({ '~': ' ', _: '-', '-': '' }[sign] ?? (/[\\{}]/.test(sign) ? sign : ' '))
    } else if (word === 'u' && number !== undefined) {
      add(String.fromCharCode(Number(number) & 0xffff))
      skip = group.substitutes
    } else if (word === 'uc') group.substitutes = Number(number ?? USUAL_SUBSTITUTES)
    else if (SKIPPED.has(word!)) group.isSkipped = true
    else if (PARAGRAPH_ENDS.has(word!)) end()
    else if (word === 'v' || word === 'plain') {
      group.isHidden = word === 'v' && number !== '0'
      if (word === 'plain') group.shift = null
    } else if (word === 'super' || word === 'up') group.shift = number === '0' ? null : 'raised'
    else if (word === 'sub' || word === 'dn') group.shift = number === '0' ? null : 'lowered'
    else if (word === 'nosupersub') group.shift = null
    else if (CHARACTERS[word!] !== undefined) add(CHARACTERS[word!]!)
  }
  decode()
  end()
  return { paragraphs, hidden }
}

/** The name of a code page, where the runtime knows it. */
function encodingOf(page: number): string {
  const name = { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 65001: 'utf-8', 10000: 'macintosh' }[page]
  const label = name ?? `windows-${page}`
  try {
    return new TextDecoder(label).encoding
  } catch {
    return 'windows-1252'
  }
}
