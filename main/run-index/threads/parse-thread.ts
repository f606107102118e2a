// Entry of the thread that reads evidence ahead: each "next" is answered with one parsed block.
import { parentPort, workerData } from 'node:worker_threads'
import { RowParser } from '../apply/cell-record.ts'
import { BlockReader } from './line-blocks.ts'
import { packRows, parseBlock, type AheadAnswer, type AheadRequest } from './parsed-blocks.ts'

const { fd, from, to, blockBytes } = workerData as AheadRequest
const port = parentPort!
const parser = new RowParser()
let at = from

port.on('message', () => {
  // A new reader for each block: its memory is transferred to the thread that applies it.
  const block = new BlockReader().read(fd, { from: at, to }, blockBytes)
  if (block === null) {
    port.postMessage(null satisfies AheadAnswer)
    return
  }
  at += block.bytes.length
  const { rows, ...parsed } = parseBlock(block, parser)
  const packed = packRows(rows)
  const answer: AheadAnswer = { ...parsed, packed }
  port.postMessage(answer, [parsed.bytes.buffer as ArrayBuffer, packed.numbers.buffer as ArrayBuffer])
})
