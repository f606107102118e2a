import { strFromU8 } from 'fflate'
import { checkDeclared, directoryInMemory, unpackInMemory, type ZipEntryInfo } from '../../../core/zip-archive.ts'

/** Describes what is known of an original that has no page to draw. */
export type Preview =
  | { kind: 'source'; text: string; isCut: boolean }
  | { kind: 'parts'; noun: string; parts: { name: string; text: string }[] }
  | { kind: 'none' }

const MOST_CHARACTERS = 50_000
/** Of one part of an archive, unpacked: a preview reads no more. */
const MOST_PART_BYTES = 8_000_000
/** Of all parts that are read. */
const LIMITS = { files: 2000, bytes: 64_000_000 }

/** The parts of an Office file whose path matches; parts that would unpack to more than a preview needs are left out. */
function partsOf(bytes: Uint8Array, path: RegExp): Map<string, Document> {
  const wanted = directoryInMemory(bytes).filter(
    ({ name, sizeBytes }) => path.test(name) && sizeBytes <= MOST_PART_BYTES,
  )
  checkDeclared(wanted, LIMITS)
  const parser = new DOMParser()
  const read = (entry: ZipEntryInfo): Document =>
    parser.parseFromString(strFromU8(unpackInMemory(bytes, entry)), 'application/xml')
  return new Map(wanted.map((entry) => [entry.name, read(entry)]))
}

const elements = (node: Document | Element, name: string): Element[] => [...node.getElementsByTagNameNS('*', name)]
const textOf = (paragraph: Element): string =>
  elements(paragraph, 't')
    .map(({ textContent }) => textContent)
    .join('')
const paragraphs = (node: Document | Element): string[] =>
  elements(node, 'p')
    .map(textOf)
    .filter((text) => text.trim() !== '')

function sheets(bytes: Uint8Array): Preview {
  const parts = partsOf(bytes, /^xl\/(workbook|worksheets\/sheet\d+)\.xml$/)
  const workbook = parts.get('xl/workbook.xml')
  const names =
    workbook === undefined ? [] : elements(workbook, 'sheet').map((sheet) => sheet.getAttribute('name') ?? '')
  return {
    kind: 'parts',
    noun: 'sheet',
    parts: names.map((name, index) => {
      const sheet = parts.get(`xl/worksheets/sheet${index + 1}.xml`)
      const rows = sheet === undefined ? null : elements(sheet, 'row').length
      const area = sheet === undefined ? null : elements(sheet, 'dimension')[0]?.getAttribute('ref')
      return { name, text: [area, rows === null ? null : `${rows} rows`].filter(Boolean).join(', ') }
    }),
  }
}

function slides(bytes: Uint8Array): Preview {
  const numbered = [...partsOf(bytes, /^ppt\/slides\/slide\d+\.xml$/)].map(
    ([path, slide]) => [Number(/\d+/.exec(path)![0]), slide] as const,
  )
  const parts = numbered
    .sort(([a], [b]) => a - b)
    .map(([number, slide]) => ({ name: `${number}`, text: paragraphs(slide).join('\n') }))
  return { kind: 'parts', noun: 'slide', parts }
}

function words(bytes: Uint8Array): Preview {
  const body = partsOf(bytes, /^word\/document\.xml$/).get('word/document.xml')
  if (body === undefined) return { kind: 'none' }
  const text = paragraphs(body).join('\n\n')
  return { kind: 'source', text: text.slice(0, MOST_CHARACTERS), isCut: text.length > MOST_CHARACTERS }
}

/** Reads an original in the page itself; nothing of it is run or drawn. Rejects for files that are damaged. */
export async function previewOf(file: File, sourceFormat: string): Promise<Preview> {
  const bytes = async (): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer())
  switch (sourceFormat) {
    case 'html': {
      const text = await file.slice(0, MOST_CHARACTERS).text()
      return { kind: 'source', text, isCut: file.size > MOST_CHARACTERS }
    }
    case 'xlsx':
      return sheets(await bytes())
    case 'pptx':
      return slides(await bytes())
    case 'docx':
      return words(await bytes())
    default:
      return { kind: 'none' }
  }
}
