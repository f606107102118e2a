import type { TextItem } from '@llamaindex/liteparse'
import { joinLines, type Block, type Box, type Code } from '../model/document.ts'

const ENDS = /[.!?:;…]["”»)\]]?$/u
const LEAST_LETTERS = 30
const WORD = /^\p{L}[\p{L}'’-]*[.,;:)]*$/u
const SAME_EDGE_PT = 2

type Placed = Block & { place: { page: number; box: Box } }
const isPlaced = (block: Block | undefined): block is Placed => (block?.place?.box ?? null) !== null

/**
 * Code of one page as its author set it. The engine takes every line with a word in a typewriter font for code: one within a paragraph belongs to it again.
 * It gives each line a block of its own and drops what a line is indented by: lines that follow each other are one block, indented as in the original.
 */
export function wholeCode(blocks: readonly Block[], items: readonly TextItem[]): Block[] {
  const joined: Block[] = []
  for (const block of blocks) {
    const former = joined.at(-1)
    if (!isPlaced(block) || !isPlaced(former)) joined.push(block)
    else if (block.kind === 'code' && former.kind === 'code' && follows(former, block, 1.5))
      joined[joined.length - 1] = { ...former, text: `${former.text}\n${block.text}`, place: around(former, block) }
    else if (block.kind === 'code' && isWithinSentence(former, block))
      joined[joined.length - 1] = continued(former, block)
    else if (block.kind === 'paragraph' && isCut.has(former) && follows(former, block, 0.9))
      joined[joined.length - 1] = continued(former, block)
    else joined.push(block)
  }
  return joined.map((block) => (block.kind === 'code' ? indented(block, items) : block))
}

/** Paragraphs that end with what was taken for code: the next one may be their end. */
const isCut = new WeakSet<Block>()

function continued(former: Placed, block: Placed): Block {
  const [head, tail] = [former as { text: string }, block as { text: string }]
  const text = tail.text.replaceAll('\n', ' ')
  const whole = { ...former, text: joinLines(head.text, text), place: around(former, block) } as Block
  if (block.kind === 'code' && !ENDS.test(text)) isCut.add(whole)
  return whole
}

const height = ({ text, place }: Placed & { text: string }): number =>
  (place.box.bottom - place.box.top) / text.split('\n').length

/** Returns true when a block is directly below another; `lines` is the most that may be free between them, in the unit of its lines. */
function follows(former: Placed, block: Placed, lines: number): boolean {
  if (former.place.page !== block.place.page || !('text' in block)) return false
  const gap = block.place.box.top - former.place.box.bottom
  return gap > -height(block) && gap < height(block) * lines
}

function isWithinSentence(former: Placed, code: Placed & Code): boolean {
  if (former.kind !== 'paragraph' && former.kind !== 'list_item') return false
  if (former.text.length < LEAST_LETTERS || ENDS.test(former.text) || !follows(former, code, 0.6)) return false
  if (former.kind === 'paragraph' && Math.abs(former.place.box.left - code.place.box.left) > SAME_EDGE_PT) return false
  const words = code.text.split(/\s+/)
  return words.length > 1 && words.filter((word) => WORD.test(word)).length >= words.length * 0.4
}

const around = (former: Placed, block: Placed): Placed['place'] => ({
  page: former.place.page,
  box: {
    left: Math.min(former.place.box.left, block.place.box.left),
    top: Math.min(former.place.box.top, block.place.box.top),
    right: Math.max(former.place.box.right, block.place.box.right),
    bottom: Math.max(former.place.box.bottom, block.place.box.bottom),
  },
})

const bare = (text: string): string => text.replaceAll(/\s/g, '')

/** The lines of a listing, each as far from the left as the first text of it on the page. */
function indented(code: Code, items: readonly TextItem[]): Code {
  const box = code.place?.box ?? null
  const lines = code.text.split('\n')
  if (box === null || lines.length < 2) return code
  const within = items.filter(({ x, y, width, height: tall, text }) => {
    const [across, down] = [x + width / 2, y + tall / 2]
    return (
      text.trim() !== '' && across >= box.left - 1 && across <= box.right + 1 && down >= box.top && down <= box.bottom
    )
  })
  const widths = within.map(({ width, text }) => width / text.length).sort((a, b) => a - b)
  const characterWidth = widths[Math.floor(widths.length / 2)] ?? 0
  if (characterWidth <= 0) return code
  const left = Math.min(...within.map(({ x }) => x))
  let next = 0
  const text = lines.map((line) => {
    const at = within.findIndex((item, index) => index >= next && bare(line).startsWith(bare(item.text)))
    if (at < 0 || /^\s/.test(line)) return line
    next = at + 1
    return `${' '.repeat(Math.max(0, Math.round((within[at]!.x - left) / characterWidth)))}${line}`
  })
  return { ...code, text: text.join('\n') }
}
