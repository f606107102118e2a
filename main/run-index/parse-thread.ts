// Entry of the thread that reads evidence ahead: each "next" is answered with one parsed block.
import { parentPort, workerData } from 'node:worker_threads'
import { BlockReader } from './line-blocks.ts'
import { parseBlock, type AheadAnswer, type AheadRequest } from './parsed-blocks.ts'
import { RowParser } from './row-parser.ts'

const { fd, from, to, blockBytes } = workerData as AheadRequest
const port = parentPort!
const parser = new RowParser()
let at = from

port.on('message', () => {
  // A reader of its own for each block: its memory goes over to the thread that applies it.
  const block = new BlockReader().read(fd, { from: at, to }, blockBytes)
  if (block === null) {
    port.postMessage(null satisfies AheadAnswer)
    return
  }
  at += block.bytes.length
  const answer: AheadAnswer = parseBlock(block, parser)
  port.postMessage(answer, [answer.bytes.buffer as ArrayBuffer])
})
