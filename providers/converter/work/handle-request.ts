import { performance } from 'node:perf_hooks'
import { strToU8, zipSync } from 'fflate'
import { DOCUMENT_FORMATS } from '../../../core/document-formats.ts'
import { chunkDocument } from '../export/chunks.ts'
import { toDocling } from '../export/docling.ts'
import { toDoctags } from '../export/doctags.ts'
import { toHtml } from '../export/html.ts'
import { toMarkdown, type ImageLink } from '../export/markdown.ts'
import { detectFormat } from '../formats/formats.ts'
import { ConversionError, encrypted } from '../model/conversion-error.ts'
import { readDocument, type ReadDocument } from './convert-document.ts'
import type { ConversionOutcome, ConversionRequest } from './protocol.ts'

/** Reads a document and writes it in the wanted form. Throws `ConversionError` for what the sender can fix. */
export async function handleRequest(request: ConversionRequest): Promise<ConversionOutcome> {
  if (request.format === 'page')
    return {
      content: null,
      bundle: await drawPage(request.bytes, request.filename, request.page ?? 1),
      metadata: null,
      chunks: null,
    }
  const started = performance.now()
  const document = await readDocument(request.bytes, request.filename, request)
  const chunks =
    request.chunking === null ? null : chunkDocument(document, request.chunking.size, request.chunking.overlap)
  const count = (kind: string): number => document.blocks.filter((block) => block.kind === kind).length
  const written = request.format === 'bundle' ? null : write(document, request)
  const bundle = request.format === 'bundle' ? makeBundle(document, request) : null
  return {
    content: written,
    bundle,
    metadata: {
      pages: document.pages.length === 0 ? 1 : document.pages.length,
      tables: count('table'),
      images: count('figure'),
      formulas: count('formula'),
      processing_time: Math.round(performance.now() - started) / 1000,
      source_format: document.sourceFormat,
      file_size: request.bytes.length,
      ocr_pages: document.ocrPages,
      table_mode: document.tableMode,
      warnings: document.warnings,
    },
    chunks,
  }
}

function write(document: ReadDocument, { format, filename, bytes }: ConversionRequest, link?: ImageLink): string {
  switch (format) {
    case 'markdown':
      return toMarkdown(document, link)
    case 'html':
      return toHtml(document, link)
    case 'doctags':
      return toDoctags(document)
    case 'json':
    case 'bundle':
    case 'page':
      return JSON.stringify(
        toDocling(document, { filename, mimeType: DOCUMENT_FORMATS[document.sourceFormat].mimeType, bytes }, link),
        null,
        2,
      )
  }
}

/** The earliest time that ZIP can store: equal inputs give equal archives. */
const NO_TIME = new Date(1980, 0, 1)

function makeBundle(document: ReadDocument, request: ConversionRequest): Uint8Array {
  const stem = bundleStem(request.filename)
  const link: ImageLink = (image) =>
    `assets/image-${String(image + 1).padStart(4, '0')}.${document.images[image]?.extension ?? 'png'}`
  const files: [string, Uint8Array][] = [
    [`${stem}.json`, strToU8(write(document, request, link))],
    [`${stem}.md`, strToU8(toMarkdown(document, link))],
    ...document.images.map(({ bytes }, image): [string, Uint8Array] => [link(image)!, bytes]),
  ]
  files.sort(([left], [right]) => (left < right ? -1 : 1))
  // Mode 0600 of a regular file, as Unix stores it in a ZIP's directory.
  const attributes = { mtime: NO_TIME, os: 3, attrs: (0o100600 << 16) >>> 0 }
  return zipSync(Object.fromEntries(files.map(([name, bytes]) => [name, [bytes, attributes]])), { level: 6 })
}

/** The upload's own stem, as far as a path may hold it: the graph engine looks for exactly that name. */
function bundleStem(filename: string): string {
  const base = filename.split(/[/\\]/).at(-1) ?? ''
  const stem = base
    .replace(/\.[^.]*$/, '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}<>:"|?*]/gu, '_')
    .replace(/^\.+/, '')
    .trim()
  return stem === '' ? 'document' : stem.slice(0, 180)
}

/** Enough to read on a screen. */
const SCREEN_DPI = 110
const MAX_PIXELS = 120_000_000
const WIDEST = 1400

/** A page of a PDF, a frame of a picture, as PNG. Throws `unsupported` for formats that have no pages to draw. */
export async function drawPage(bytes: Uint8Array, filename: string, page: number): Promise<Uint8Array> {
  const format = detectFormat(bytes, filename)
  if (format === 'pdf') {
    const { LiteParse } = await import('@llamaindex/liteparse')
    const parser = new LiteParse({ ocrEnabled: false, quiet: true, dpi: SCREEN_DPI })
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const [picture] = await parser.screenshot(source, [page]).catch((error: unknown) => {
      if (/password|encrypt/i.test(String(error))) throw encrypted()
      throw new ConversionError('damaged', `page ${page} cannot be drawn`, { cause: error })
    })
    if (picture === undefined) throw new ConversionError('damaged', `there is no page ${page}`)
    return picture.imageBuffer
  }
  if (!DOCUMENT_FORMATS[format].hasDrawablePages)
    throw new ConversionError(
      'unsupported',
      `${DOCUMENT_FORMATS[format].label} files have no pages of their own to draw`,
    )
  const { default: sharp } = await import('sharp')
  try {
    const image = sharp(bytes, { page: page - 1, limitInputPixels: MAX_PIXELS }).autoOrient()
    return await image.resize({ width: WIDEST, withoutEnlargement: true }).png().toBuffer()
  } catch (error) {
    throw new ConversionError('damaged', `page ${page} cannot be drawn`, { cause: error })
  }
}
