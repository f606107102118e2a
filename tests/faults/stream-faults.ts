// Services stream wrongly, or in a form of their own. Requests that ask for no stream are answered as they should be.
import { gzipSync } from 'node:zlib'
import { byTurns, EVERY_FORM, READ, REPAIR, type FaultyReply, type ModelFault } from './faulty-reply.ts'

const USAGE = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 }
const DONE = 'data: [DONE]\n\n'

const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const event = (value: object, line = '\n'): string => `data: ${JSON.stringify(value)}${line}${line}`
const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,7}/gu) ?? []
const textEvents = (text: string, line?: string): string[] =>
  piecesOf(text).map((content) => event(chunk({ content }), line))
const end = (line?: string): string => event(chunk({}, 'stop', { usage: USAGE }), line)
const bytes = (text: string): Uint8Array[] => [...Buffer.from(text)].map((byte) => Uint8Array.of(byte))

type Stream = (text: string) => readonly (string | Uint8Array)[] | FaultyReply

/** Streams in one form after the other. */
function streaming(...forms: readonly Stream[]): NonNullable<ModelFault['reply']> {
  const next = byTurns(...forms)
  return (asked, { content }) => {
    if (asked['stream'] !== true || content === null) return {}
    const made = next()(content)
    const headers = { 'content-type': 'text/event-stream' }
    return 'length' in made ? { headers, parts: made } : { headers, ...made }
  }
}
const ofType = (type: string, more: FaultyReply): FaultyReply => ({ ...more, headers: { 'content-type': type } })
const thinking =
  (name: string): Stream =>
  (text) => [
    event(chunk({ [name]: name === 'reasoning_details' ? [{ type: 'reasoning.text', text: 'hmm' }] : 'hmm' })),
    ...textEvents(text),
    end(),
    DONE,
  ]

export const STREAM_FAULTS: Readonly<Record<string, ModelFault>> = {
  stream: {
    about: 'streams as it should',
    reply: streaming((text) => [...textEvents(text), end(), DONE]),
    cells: 'all',
    action: 'nothing',
  },
  'stream-ends': {
    about: 'ends streams without [DONE], with [DONE] alone, with it and no space, or never, by turns',
    reply: streaming(
      (text) => [...textEvents(text), end()],
      (text) => [...textEvents(text), DONE],
      (text) => ({ parts: [...textEvents(text), 'data:[DONE]\n\n'], ends: 'open' }),
      (text) => ({ parts: [...textEvents(text), end()], ends: 'open' }),
    ),
    cells: 'all',
    action: 'nothing: an answer that has ended is complete',
  },
  'stream-lines': {
    about:
      'ends lines with CRLF, also cut in two, or CR, streams byte by byte, or begins with a byte order mark, by turns',
    reply: streaming(
      (text) => [...textEvents(text, '\r\n'), end('\r\n'), DONE],
      (text) => [...textEvents(text, '\r\n'), end('\r\n')].flatMap((each) => each.split(/(?<=\r)/)),
      (text) => [...textEvents(text, '\r'), end('\r'), DONE],
      (text) => bytes(event(chunk({ content: text })) + end() + DONE),
      (text) => [`\uFEFF${event(chunk({ content: text }))}`, end(), DONE],
    ),
    cells: 'all',
    action: EVERY_FORM,
  },
  'stream-extras': {
    about:
      'adds comments, pings, empty events, a chunk without choices, null deltas or the text so far, or leaves out every index, by turns',
    reply: streaming(
      (text) => [': PROCESSING\n\n', ...textEvents(text), 'event: ping\ndata: {"type":"ping"}\n\n', end(), DONE],
      (text) => ['data:\n\n', ...textEvents(text), 'data: \n\n', end(), DONE],
      (text) => [event({ ...chunk({}), choices: [], prompt_filter_results: [] }), ...textEvents(text), end(), DONE],
      (text) => [...textEvents(text), event(chunk({ content: null, role: null })), end(), DONE],
      (text) => [
        event({ choices: [{ index: 0, delta: { content: text }, message: { content: text }, finish_reason: null }] }),
        end(),
        DONE,
      ],
      (text) => [
        event({ choices: [{ delta: { content: text } }] }),
        event({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
        DONE,
      ],
    ),
    cells: 'all',
    action: EVERY_FORM,
  },
  'stream-type': {
    about: 'sends events as text/plain or application/json, lines of JSON, or gzip, by turns',
    reply: streaming(
      (text) => ofType('text/plain', { parts: [...textEvents(text), end(), DONE] }),
      (text) => ofType('application/json', { parts: [...textEvents(text), end(), DONE] }),
      (text) =>
        ofType('application/x-ndjson', {
          parts: [chunk({ content: text }), chunk({}, 'stop')].map((each) => `${JSON.stringify(each)}\n`),
        }),
      (text) => ({
        headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
        parts: [gzipSync([...textEvents(text), end(), DONE].join(''))],
      }),
    ),
    cells: 'all',
    action: EVERY_FORM,
  },
  'stream-reasoning': {
    about:
      'streams reasoning in three fields, in <think> over several chunks, before a closing tag alone, or answers in parts, by turns',
    reply: streaming(
      thinking('reasoning_content'),
      thinking('reasoning'),
      thinking('reasoning_details'),
      (text) => [...['<th', 'ink>hmm</thi', `nk>\n\n${text}`].map((content) => event(chunk({ content }))), end(), DONE],
      (text) => [
        ...['hmm, they ask', `\n</think>\n\n${text}`].map((content) => event(chunk({ content }))),
        end(),
        DONE,
      ],
      (text) => [event(chunk({ content: [{ type: 'text', text }] })), end(), DONE],
    ),
    cells: 'all',
    action: READ,
  },
  'stream-cut': {
    about: 'ends the connection in the middle of every stream',
    reply: streaming((text) => ({ parts: textEvents(text).slice(0, 1), ends: 'cut' })),
    cells: 'none',
    says: [/interrupted its answer|broke off|ended/],
    action: REPAIR,
  },
  'stream-eof': {
    about: 'ends every stream before its answer has ended',
    reply: streaming((text) => textEvents(text).slice(0, 1)),
    cells: 'none',
    says: [/the stream ended before the answer did/],
    action: REPAIR,
  },
  'stream-error': {
    about: 'reports an error in the stream, as an event or in a choice, by turns',
    reply: streaming(
      (text) => [...textEvents(text).slice(0, 1), event({ error: { message: 'Provider died', code: 502 } })],
      (text) => [
        ...textEvents(text).slice(0, 1),
        event({
          choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 502, message: 'Provider died' } }],
        }),
        DONE,
      ],
    ),
    cells: 'none',
    says: [/Provider died/],
    action: 'choose another provider; the same run goes on',
  },
}
