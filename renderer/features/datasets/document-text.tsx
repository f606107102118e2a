import { Button, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import {
  type DocumentChunks,
  type DocumentChunksInput,
  MAX_TOLD_CHUNKS,
} from '../../../contract/control/document-chunks.ts'
import { count, plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { EmptyPanel, Loaded } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { ChunkedText } from './chunked-text.tsx'
import chunkStyles from './chunks.module.css'
import styles from './datasets.module.css'
import { DATASETS_WORDS } from './datasets-words.ts'
import { useDocument } from './use-document.ts'

const WORDS = DATASETS_WORDS.documentText

const SLICE = 100_000

interface DocumentTextProps {
  dataset: string
  path: string
  /** States how to cut for a look, where that is not saved yet. */
  chunker?: DocumentChunksInput['chunker']
}

/** One document with its gold facts underlined and, when asked for, the borders of its chunks; long ones slice by slice. */
export function DocumentText({ dataset, path, chunker }: DocumentTextProps) {
  const search = useSearch({ from: '/datasets' })
  const navigate = useNavigate({ from: '/datasets' })
  const { query, slices, unread } = useDocument(dataset, path, SLICE)
  const [first] = slices
  const text = slices.map((slice) => slice.text).join('')
  const chunks = useChunks(
    { dataset_id: dataset, path, ...(chunker === undefined ? {} : { chunker }) },
    search.chunks === true && first !== undefined ? text.length : 0,
  )
  if (query.data === undefined) return <Loaded query={query} what={WORDS.document(path)} rows={14} />
  if (first === undefined)
    return (
      <EmptyPanel title={path}>
        <p>
          {WORDS.notShown}
          {unread?.reason}. <Link to="/tools/convert">{WORDS.convertIt}</Link>
          {WORDS.toSeeChunks}
        </p>
      </EmptyPanel>
    )
  return (
    <div className="stack">
      <div className={chunkStyles.head}>
        <Switch
          size="xs"
          label={WORDS.showChunks}
          checked={search.chunks === true}
          onChange={({ currentTarget: { checked } }) =>
            void navigate({ search: { ...search, document: path, chunks: checked || undefined, chunk: undefined } })
          }
        />
        {search.chunks === true && <ChunkFacts chunks={chunks} />}
      </div>
      <article className={styles.text} tabIndex={0} aria-label={path}>
        {first.lost_gold.map(({ question_id: id, fact }) => (
          <p key={id + fact}>
            {WORDS.factMissing(id)}
            <MarkedText text={fact} />
          </p>
        ))}
        {search.chunks === true && chunks.state === 'known' ? (
          <ChunkedText
            text={text}
            gold={first.gold}
            chunks={chunks.chunks}
            chosen={search.chunk === undefined ? undefined : search.chunk - 1}
            onChoose={(chunk) =>
              void navigate({
                search: { ...search, document: path, chunk: chunk === undefined ? undefined : chunk + 1 },
                replace: true,
              })
            }
          />
        ) : (
          <MarkedText text={text} spans={first.gold.filter(({ end }) => end <= text.length)} isMarkdown />
        )}
        {query.hasNextPage && (
          <p className={chunkStyles.head}>
            <span className="dim">{WORDS.of(count(text.length), first.total)}</span>
            <Button size="compact-sm" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {WORDS.showMore(count(Math.min(SLICE, first.total - text.length)))}
            </Button>
          </p>
        )}
      </article>
    </div>
  )
}

function ChunkFacts({ chunks }: { chunks: ReturnType<typeof useChunks> }) {
  switch (chunks.state) {
    case 'loading':
      return (
        <span className="dim" role="status">
          {WORDS.cutting}
        </span>
      )
    case 'refused':
      return <span role="status">{WORDS.noChunks(chunks.message)}</span>
    case 'known': {
      const { total, strategy, chunk_size: size, overlap, profile } = chunks
      const unit = strategy === 'token' ? 'token' : 'character'
      return (
        <span className="row">
          <span>{WORDS.chunkSizes(total, strategy, plural(size, unit), count(overlap), profile)}</span>
          <span>
            <span className={chunkStyles.sample} data-kind="overlap" />
            {WORDS.inTwoChunks}
          </span>
          {chunks.chunks.length === MAX_TOLD_CHUNKS && <span>{WORDS.firstShown(count(chunks.chunks.length))}</span>}
        </span>
      )
    }
  }
}

type KnownChunks = Extract<DocumentChunks, { ok: true }>

type ChunksOfDocument =
  | { state: 'loading' }
  | { state: 'refused'; message: string }
  | ({ state: 'known' } & KnownChunks)

/** The chunks in the first `length` characters of a document; nothing is asked while that is 0. */
function useChunks(
  document: Pick<DocumentChunksInput, 'dataset_id' | 'path' | 'chunker'>,
  length: number,
): ChunksOfDocument {
  const { data, isError, error } = useQuery({
    ...api.datasets.chunks.queryOptions({ input: { ...document, limit: Math.max(1, length) } }),
    enabled: length > 0,
    placeholderData: (before) => before,
  })
  if (isError) return { state: 'refused', message: controlErrorOf(error).message }
  if (data === undefined) return { state: 'loading' }
  if (!data.ok) return { state: 'refused', message: data.message }
  return { state: 'known', ...data }
}
