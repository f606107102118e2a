import { performance } from 'node:perf_hooks'
import { strToU8, zipSync } from 'fflate'
import { chunkDocument } from '../export/chunks.ts'
import { toDocling } from '../export/docling.ts'
import { toDoctags } from '../export/doctags.ts'
import { toHtml } from '../export/html.ts'
import { toMarkdown } from '../export/markdown.ts'
import type { ImageLink } from '../export/markdown.ts'
import type { SourceFormat } from '../model/document.ts'
import { drawPage } from './draw-page.ts'
import { readDocument } from './convert-document.ts'
import type { ReadDocument } from './convert-document.ts'
import type { ConversionOrder, ConversionOutcome } from './protocol.ts'

const MIME: Record<SourceFormat, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ppt: 'application/vnd.ms-powerpoint',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  png: 'image/png',
  jpg: 'image/jpeg',
  tiff: 'image/tiff',
}

/** Reads a document and writes it in the wanted form. Throws `ConversionError` for what the sender can mend. */
export async function runOrder(order: ConversionOrder): Promise<ConversionOutcome> {
  if (order.format === 'page')
    return {
      content: null,
      bundle: await drawPage(order.bytes, order.filename, order.page ?? 1),
      metadata: null,
      chunks: null,
    }
  const started = performance.now()
  const document = await readDocument(order.bytes, order.filename, order)
  const chunks = order.chunking === null ? null : chunkDocument(document, order.chunking.size, order.chunking.overlap)
  const count = (kind: string): number => document.blocks.filter((block) => block.kind === kind).length
  const written = order.format === 'bundle' ? null : write(document, order)
  const bundle = order.format === 'bundle' ? makeBundle(document, order) : null
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
      file_size: order.bytes.length,
      ocr_pages: document.ocrPages,
      table_mode: document.tableMode,
      warnings: document.warnings,
    },
    chunks,
  }
}

function write(document: ReadDocument, { format, filename, bytes }: ConversionOrder, link?: ImageLink): string {
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
        toDocling(document, { filename, mimeType: MIME[document.sourceFormat], bytes }, link),
        null,
        2,
      )
  }
}

/** The earliest time that ZIP can tell: equal inputs give equal archives. */
const NO_TIME = new Date(1980, 0, 1)

function makeBundle(document: ReadDocument, order: ConversionOrder): Uint8Array {
  const stem = bundleStem(order.filename)
  const link: ImageLink = (image) =>
    `assets/image-${String(image + 1).padStart(4, '0')}.${document.images[image]?.extension ?? 'png'}`
  const files: [string, Uint8Array][] = [
    [`${stem}.json`, strToU8(write(document, order, link))],
    [`${stem}.md`, strToU8(toMarkdown(document, link))],
    ...document.images.map(({ bytes }, image): [string, Uint8Array] => [link(image)!, bytes]),
  ]
  files.sort(([left], [right]) => (left < right ? -1 : 1))
  // Mode 0600 of a regular file, as Unix tells it in a ZIP's directory.
  const attributes = { mtime: NO_TIME, os: 3, attrs: (0o100600 << 16) >>> 0 }
  return zipSync(Object.fromEntries(files.map(([name, bytes]) => [name, [bytes, attributes]])), { level: 6 })
}

/** The upload's own stem, as far as a path may hold it: the graph engine looks for exactly that name. */
export function bundleStem(filename: string): string {
  const base = filename.split(/[/\\]/).at(-1) ?? ''
  const stem = base
    .replace(/\.[^.]*$/, '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}<>:"|?*]/gu, '_')
    .replace(/^\.+/, '')
    .trim()
  return stem === '' ? 'document' : stem.slice(0, 180)
}
