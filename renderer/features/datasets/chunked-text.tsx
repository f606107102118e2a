import { Fragment } from 'react'
import type { PlacedChunk } from '../../../contract/control/document-chunks.ts'
import { count, plural } from '../../components/format.ts'
import type { Span } from '../../components/text-match.ts'
import { chunkPieces, type Piece } from './chunk-pieces.ts'
import styles from './chunks.module.css'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.chunkedText

interface ChunkedTextProps {
  text: string
  gold: readonly Span[]
  chunks: readonly PlacedChunk[]
  /** Index of the highlighted chunk. */
  chosen: number | undefined
  onChoose: (chunk: number | undefined) => void
}

/** A text with each chunk's border and number where it begins, overlaps hatched, gold facts marked. Signs of Markdown stay: chunks hold them. Hostile text stays text. */
export function ChunkedText({ text, gold, chunks, chosen, onChoose }: ChunkedTextProps) {
  return (
    <bdi className={styles.text}>
      {chunkPieces(text.length, chunks, gold).map((piece) => (
        <Fragment key={piece.start}>
          {piece.begins.map((chunk) => (
            <ChunkSign
              key={chunk.index}
              chunk={chunk}
              isChosen={chunk.index === chosen}
              onClick={() => onChoose(chunk.index === chosen ? undefined : chunk.index)}
            />
          ))}
          <PieceText piece={piece} isChosen={chosen !== undefined && piece.chunks.includes(chosen)}>
            {text.slice(piece.start, piece.end)}
          </PieceText>
        </Fragment>
      ))}
    </bdi>
  )
}

function ChunkSign({ chunk, isChosen, onClick }: { chunk: PlacedChunk; isChosen: boolean; onClick: () => void }) {
  const { index, start, end, tokens } = chunk
  const size = `${plural(end - start, 'character')}${tokens === null ? '' : `, ${plural(tokens, 'token')}`}`
  return (
    <button
      type="button"
      className={styles.sign}
      aria-pressed={isChosen}
      aria-label={WORDS.chunk(index + 1, size)}
      title={size}
      onClick={onClick}
    >
      {count(index + 1)}
    </button>
  )
}

function PieceText({ piece, isChosen, children }: { piece: Piece; isChosen: boolean; children: string }) {
  const { chunks, isGold } = piece
  const kind = chunks.length === 0 ? 'none' : chunks.length > 1 ? 'overlap' : chunks[0]! % 2 === 0 ? 'even' : 'odd'
  const Tag = isGold ? 'mark' : 'span'
  return (
    <Tag className={styles.piece} data-kind={kind} data-chosen={isChosen || undefined}>
      {children}
    </Tag>
  )
}
