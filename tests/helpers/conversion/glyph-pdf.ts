import { deflateSync } from 'node:zlib'
import { rawPdf } from './raw-pdf.ts'

/** Text at a place, in points from the lower left corner. Its characters are drawn from left to right as they are given: right-to-left text in visual order. */
export interface GlyphLine {
  x: number
  y: number
  text: string
  size?: number
}

const CHARACTER_WIDTH = 0.5
const hex = (value: number): string => value.toString(16).padStart(4, '0')

export interface GlyphMap {
  /** True when the map's stream is deflated. */
  isPacked?: boolean
  /** True when the map names its characters by ranges instead of one by one. */
  asRanges?: boolean
}

/** A PDF of lines in any script: one composite font whose ToUnicode map names every character, drawn half an em wide. */
export function glyphPdf(
  pages: readonly (readonly GlyphLine[])[],
  { isPacked = false, asRanges = false }: GlyphMap = {},
): Buffer<ArrayBuffer> {
  const characters = [...new Set(pages.flat().flatMap(({ text }) => Array.from(text)))]
  const codes = new Map(characters.map((character, index) => [character, hex(index + 1)]))
  const utf16 = (character: string): string => Buffer.from(character, 'utf16le').swap16().toString('hex')
  const map = [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Glyphs def',
    '1 begincodespacerange <0000> <ffff> endcodespacerange',
    ...characters.map((character) => {
      const code = codes.get(character)!
      return asRanges
        ? `1 beginbfrange <${code}> <${code}> <${utf16(character)}> endbfrange`
        : `1 beginbfchar <${code}> <${utf16(character)}> endbfchar`
    }),
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n')
  const contents = pages.map((lines) =>
    lines
      .map(({ x, y, text, size = 12 }) => {
        const shown = Array.from(text, (character) => codes.get(character)!).join('')
        return `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm <${shown}> Tj ET`
      })
      .join('\n'),
  )
  const kids = pages.map((_, page) => `${6 + page * 2} 0 R`).join(' ')
  const descriptor =
    '<< /Type /FontDescriptor /FontName /Glyphs /Flags 32 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>'
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type0 /BaseFont /Glyphs /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>',
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Glyphs /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW ${CHARACTER_WIDTH * 1000} /FontDescriptor ${descriptor} >>`,
    isPacked ? packed(map) : stream(map),
    ...contents.flatMap((content, page) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${7 + page * 2} 0 R >>`,
      stream(content),
    ]),
  ])
}

const stream = (text: string): string => `<< /Length ${Buffer.byteLength(text)} >>\nstream\n${text}\nendstream`

function packed(text: string): Buffer {
  const bytes = deflateSync(Buffer.from(text))
  return Buffer.concat([
    Buffer.from(`<< /Filter /FlateDecode /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}
