/**
 * The process of a GGUF file without weights: answers with its process id, the number of answers and the request. The last message's first word chooses a fault: `hang`,
 * `exit CODE`, `fail FAULT`, `slow` (ends at an abort). `pieces A|B` answers with these pieces where the request streams.
 */
import type { GgufChat, GgufLoad, GgufReply, GgufRequest } from '../../providers/platform/models/gguf/gguf-protocol.ts'

const send = (reply: GgufReply): void => void process.send!(reply)
const abortable: (() => void)[] = []
let answers = 0
let task: GgufLoad['task']

process.on('message', (request: GgufRequest) => {
  if ('abort' in request) abortable.splice(0).forEach((abort) => abort())
  else if ('load' in request) load(request.load)
  else if ('embed' in request) embed(request.embed)
  else answer(request.chat)
})
process.once('disconnect', () => process.exit(0))

function load(asked: GgufLoad): void {
  task = asked.task
  const fault = /fault-(\w+)/.exec(asked.path)?.[1]
  if (fault !== undefined) send({ failed: { fault: fault as 'damaged', message: `as ${fault}` } })
  else send({ loaded: {} })
}

/** The number of letters and of words; a text `zero` has no direction. */
function embed(texts: readonly string[]): void {
  if (task !== 'embedding') {
    send({ failed: { fault: 'failed', message: 'loaded for answers' } })
    return
  }
  const vectors = texts.map((text) => (text === 'zero' ? [0, 0] : [text.length, text.split(' ').length]))
  send({ embedded: { vectors, tokens: texts.join(' ').split(' ').length } })
}

function answer(chat: GgufChat): void {
  const [word, value] = (chat.messages.at(-1)?.text ?? '').split(' ')
  if (word === 'hang') return
  if (word === 'exit') process.exit(Number(value))
  if (word === 'fail') {
    const numbers = { promptTokens: 90, maxTokens: chat.maxTokens, contextSize: 100 }
    send({ failed: { fault: value as 'too_long', message: `as ${value}`, numbers } })
    return
  }
  if (word === 'slow') return void abortable.push(() => send({ failed: { fault: 'aborted', message: 'cancelled' } }))
  answers += 1
  const pieces = word === 'pieces' ? (chat.messages.at(-1)?.text ?? '').slice(7).split('|') : []
  if (chat.streams) for (const piece of pieces) send({ piece })
  const text = word === 'pieces' ? pieces.join('') : JSON.stringify({ pid: process.pid, answers, chat })
  const usage = { promptTokens: 7, completionTokens: 11, thoughtTokens: chat.think === true ? 4 : 0 }
  send({ answered: { text, finish: 'stop', ...usage, firstTokenMs: 20, totalMs: 120, rssBytes: 2000 } })
}
