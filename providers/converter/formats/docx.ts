import mammoth from 'mammoth'
import { strToU8, strFromU8 } from 'fflate'
import { ConversionError } from '../model/conversion-error.ts'
import type { Block, Document } from '../model/document.ts'
import { withHeaderRow } from '../model/table.ts'
import { openArchive, repack } from './archive.ts'
import { keepPageBreaks, placeOnPages, savedPages } from './docx-pages.ts'
import { readHtml } from './html.ts'
import { parseXml, textOfXml } from './xml.ts'

/** Styles beside the ones that mammoth maps by itself. */
const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => h2:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
  "p[style-name='Code'] => pre:separator('\n')",
  "p[style-name='Source Code'] => pre:separator('\n')",
  "p[style-name='Preformatted Text'] => pre:separator('\n')",
]

const FORMULA_START = '\u{E000}'
const FORMULA_END = '\u{E001}'

/** A Word document. Formulas become one line of text; headers, footers and text boxes are not read. */
export async function readDocx(bytes: Uint8Array): Promise<Document> {
  const parts = { ...openArchive(bytes) }
  const body = parts['word/document.xml']
  if (body === undefined) throw new ConversionError('damaged', 'the Word document has no body')
  const xml = strFromU8(body)
  parts['word/document.xml'] = strToU8(keepPageBreaks(keepFormulas(xml)))
  const { value } = await mammoth
    .convertToHtml({ buffer: Buffer.from(repack(parts)) }, { styleMap: STYLES, externalFileAccess: false })
    .catch((error: unknown) => {
      throw new ConversionError('damaged', 'the Word document cannot be read', { cause: error })
    })
  const document = readHtml(value, 'docx')
  document.blocks = document.blocks.flatMap((block): Block[] => {
    if (block.kind === 'table') return [withHeaderRow(block)]
    if (!('text' in block) || !block.text.includes(FORMULA_START)) return [block]
    const alone = new RegExp(`^${FORMULA_START}([^${FORMULA_END}]*)${FORMULA_END}$`).exec(block.text)
    if (alone !== null && block.kind === 'paragraph')
      return [{ kind: 'formula' as const, text: alone[1]!, place: null }]
    return [{ ...block, text: block.text.replaceAll(FORMULA_START, '$').replaceAll(FORMULA_END, '$') }]
  })
  document.pages = savedPages(parts, xml)
  document.blocks = placeOnPages(document.blocks, document.pages)
  return document
}

/** Office formulas have no place in HTML: each becomes a run of text between two marks. */
const keepFormulas = (xml: string): string =>
  xml
    .replaceAll(/<m:oMathPara(?:\s[^>]*)?>|<\/m:oMathPara>/g, '')
    .replaceAll(/<m:oMath(?:\s[^>]*)?>([\s\S]*?)<\/m:oMath>/g, (_, inner: string) => {
      const text = linear(inner)
      return `<w:r><w:t xml:space="preserve">${FORMULA_START}${escapeXml(text)}${FORMULA_END}</w:t></w:r>`
    })

function linear(inner: string): string {
  const names = [...new Set([...inner.matchAll(/<\/?(\w+):/g)].map(([, prefix]) => prefix!))]
  const spaces = names.map((prefix) => `xmlns:${prefix}="urn:${prefix}"`).join(' ')
  try {
    return textOfXml(parseXml(`<math ${spaces}>${inner}</math>`), {
      'm:f': (child) => `(${child('m:num')})/(${child('m:den')})`,
      'm:sSup': (child) => `${child('m:e')}^{${child('m:sup')}}`,
      'm:sSub': (child) => `${child('m:e')}_{${child('m:sub')}}`,
      'm:rad': (child) => `sqrt(${child('m:e')})`,
    })
  } catch {
    return inner.replaceAll(/<[^>]*>/g, '')
  }
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
