import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { ConversionChunk, ConversionResult } from '../../../contract/http/conversion.ts'
import { DOCUMENT_FORMATS, type DocumentFormat } from '../../../core/document-formats.ts'
import { bytes, plural } from '../../components/format.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { RowButton } from '../../components/row-button.tsx'
import { saveFile } from '../../components/save-file.ts'
import styles from './documents.module.css'
import { MarkdownView } from './markdown-view.tsx'
import { OriginalView, UndrawnOriginal } from './original-view.tsx'
import type { Conversion } from './use-conversions.ts'
import { DOCUMENTS_WORDS } from './documents-words.ts'

const WORDS = DOCUMENTS_WORDS.conversionView

/** Returns true when the converter can draw pages of the format. */
const hasPages = (format: string): boolean =>
  Object.hasOwn(DOCUMENT_FORMATS, format) && DOCUMENT_FORMATS[format as DocumentFormat].hasDrawablePages

const ENDINGS = { markdown: 'md', html: 'html', json: 'json', doctags: 'doctags' } as const
const TYPES = { markdown: 'text/markdown', html: 'text/html', json: 'application/json', doctags: 'text/plain' } as const

/** A finished conversion: the original's page beside what came out. */
export function ConversionView({
  conversion: { file, result },
}: {
  conversion: Conversion & { result: ConversionResult }
}) {
  const [view, setView] = useState('read')
  const { content, format, metadata, chunks } = result
  const copy = (): void =>
    void navigator.clipboard.writeText(content).then(
      () => notifyDone(WORDS.copied(file.name)),
      (error: unknown) => notifyFailure(WORDS.copying, error),
    )
  const save = (): void => saveFile(`${file.name.replace(/\.[^.]*$/, '')}.${ENDINGS[format]}`, [content], TYPES[format])
  return (
    <div className="stack">
      <p className={styles.facts}>
        <strong>{metadata.source_format}</strong> · {bytes(metadata.file_size)} · {plural(metadata.pages, 'page')} ·{' '}
        {plural(metadata.tables, 'table')} · {plural(metadata.images, 'picture')} ·{' '}
        {plural(metadata.formulas, 'formula')}
        {metadata.ocr_pages > 0 && WORDS.recognized(metadata.ocr_pages)}
        {WORDS.s(metadata.processing_time.toFixed(1))}
      </p>
      {metadata.warnings.map((warning) => (
        <p key={warning}>▲ {warning}</p>
      ))}
      <div className="row apart">
        <SegmentedControl
          size="xs"
          value={view}
          onChange={setView}
          data={[
            ...(format === 'markdown' ? [{ value: 'read', label: WORDS.read }] : []),
            { value: 'source', label: format },
            { value: 'chunks', label: WORDS.chunks(chunks?.length ?? 0) },
          ]}
        />
        <span className="row">
          <RowButton size="compact-sm" label={WORDS.copy(format)} onClick={copy} />
          <RowButton size="compact-sm" label={WORDS.save(format)} onClick={save} />
        </span>
      </div>
      <div className={styles.pair}>
        <section aria-label={WORDS.original}>
          {hasPages(metadata.source_format) ? (
            <OriginalView file={file} pages={metadata.pages} />
          ) : (
            <UndrawnOriginal file={file} sourceFormat={metadata.source_format} />
          )}
        </section>
        <section aria-label={WORDS.result} className={styles.output} tabIndex={0}>
          {view === 'chunks' ? (
            <ChunkList chunks={chunks ?? []} />
          ) : view === 'read' && format === 'markdown' ? (
            <MarkdownView markdown={content} />
          ) : (
            <pre className={styles.source}>{content}</pre>
          )}
        </section>
      </div>
    </div>
  )
}

/** Chunks in order; the first hundred, which is more than people read. */
function ChunkList({ chunks }: { chunks: readonly ConversionChunk[] }) {
  return (
    <ol className={styles.chunks}>
      {chunks
        .slice(0, 100)
        .map(({ text, metadata: { chunk_index: index, chunk_type: type, section_title: section, page } }) => (
          <li key={index}>
            <p className="dim">
              {index + 1} · {type}
              {section !== null && ` · ${section}`}
              {page !== null && WORDS.page(page)}
              {WORDS.characters(text.length)}
            </p>
            <pre className={styles.source}>{text}</pre>
          </li>
        ))}
      {chunks.length > 100 && <li className="dim">{WORDS.andMore(chunks.length - 100)}</li>}
    </ol>
  )
}
