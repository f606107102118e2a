// Answers and vectors in forms of their own, and failures that pass.
import { gzipSync } from 'node:zlib'
import {
  byTurns,
  EVERY_FORM,
  READ,
  REPAIR,
  refused,
  texted,
  type FaultyReply,
  type ModelFault,
} from './faulty-reply.ts'

const completion = (content: string | null, more: object = {}, choice: object = {}): object => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content }, ...choice }],
  ...more,
})
const json = (body: object): string => JSON.stringify(body)

/** Answers that are text in one form after the other. */
function wrapped(...forms: readonly ((text: string) => FaultyReply)[]): NonNullable<ModelFault['reply']> {
  const next = byTurns(...forms)
  return (_asked, { content }) => (content === null ? {} : next()(content))
}

/** Refuses every second request, in one way after the other. */
function atFirst(...ways: readonly (() => FaultyReply)[]): NonNullable<ModelFault['reply']> {
  const next = byTurns(...ways)
  return (_asked, _written, call) => (call % 2 === 0 ? {} : next()())
}

const TAGS: readonly ((text: string) => string)[] = [
  (text) => `<thinking>hmm</thinking>\n${text}`,
  (text) => `<seed:think>hmm</seed:think>${text}`,
  (text) => `<THINK>hmm</THINK>${text}`,
  (text) => `[THINK]hmm[/THINK]${text}`,
  (text) => `<think>\n\n</think>\n\n<think>hmm</think>${text}`,
]
const tag = byTurns(...TAGS)

const toolForm = byTurns<(name: string, given: string) => object>(
  (name, given) => ({ tool_calls: [{ id: 'a', function: { name, arguments: JSON.parse(given) as object } }] }),
  (name, given) => ({ tool_calls: [{ function: { name, arguments: given } }] }),
  (name, given) => ({ function_call: { name, arguments: given } }),
)

const vectorsIn = (rows: readonly object[], more: object = {}): FaultyReply => ({
  body: { object: 'list', data: rows, usage: { prompt_tokens: 1, total_tokens: 1 }, ...more },
})
const rowsOf = (vectors: number[][]): object[] => vectors.map((embedding, index) => ({ index, embedding }))
const vectorForm = byTurns<(vectors: number[][]) => FaultyReply>(
  (vectors) =>
    vectorsIn(
      vectors.map((vector, index) => ({
        index,
        embedding: Buffer.from(new Float32Array(vector).buffer).toString('base64'),
      })),
    ),
  (vectors) => vectorsIn(rowsOf(vectors).toReversed()),
  (vectors) => vectorsIn(vectors.map((embedding) => ({ embedding }))),
  (vectors) => vectorsIn(rowsOf(vectors), { usage: { prompt_tokens: null, total_tokens: null } }),
)

export const FORM_FAULTS: Readonly<Record<string, ModelFault>> = {
  'think-tags': {
    about: 'thinks in <thinking>, <seed:think>, <THINK>, [THINK] or twice, by turns',
    reply: (_asked, written) => texted(written, tag()),
    cells: 'all',
    action: READ,
  },
  'tool-forms': {
    about: 'calls tools with arguments as an object, without an id, or by function_call, by turns',
    reply: ({ tools }, written) => {
      const [call] = (written.tool_calls ?? []) as { function: { name: string; arguments: string } }[]
      if (tools === undefined || call === undefined) return {}
      return { message: { content: null, ...toolForm()(call.function.name, call.function.arguments) } }
    },
    cells: 'all',
    action: EVERY_FORM,
  },
  'schema-grammar': {
    about: 'cannot read the grammar of a schema',
    reply: ({ response_format: format }) => (format === undefined ? {} : refused('Failed to parse grammar')),
    cells: 'all',
    action: 'nothing: what the service refuses is left out, and kept for the next run',
  },
  'schema-type': {
    about: 'has no form of reply but text',
    reply: ({ response_format: format }) =>
      format === undefined ? {} : refused('This response_format type is unavailable now'),
    cells: 'all',
    action: 'nothing: what the service refuses is left out, and kept for the next run',
  },
  bodies: {
    about: 'answers in gzip, without a length, after spaces or a byte order mark, by turns',
    reply: wrapped(
      (text) => ({ headers: { 'content-encoding': 'gzip' }, parts: [gzipSync(json(completion(text)))] }),
      (text) => ({ headers: { connection: 'close' }, parts: [json(completion(text))] }),
      (text) => ({ parts: [`\n\n   \n${json(completion(text))}`] }),
      (text) => ({ parts: [`\uFEFF${json(completion(text))}`] }),
    ),
    cells: 'all',
    action: EVERY_FORM,
  },
  fields: {
    about:
      'counts tokens as null or in fractions, has a fraction as time, no role, or choices in another order, by turns',
    reply: wrapped(
      (text) => ({ body: completion(text, { usage: { prompt_tokens: null, completion_tokens: null } }) }),
      (text) => ({ body: completion(text, { usage: { prompt_tokens: 5, completion_tokens: 3.5 } }) }),
      (text) => ({ body: completion(text, { created: 1_700_000_000.75 }) }),
      (text) => ({ body: { choices: [{ message: { content: text } }] } }),
      (text) => ({
        body: {
          choices: [
            { index: 1, message: { content: 'Another.' } },
            { index: 0, message: { content: text } },
          ],
        },
      }),
    ),
    cells: 'all',
    action: EVERY_FORM,
  },
  characters: {
    about: 'writes half of a character, or a NUL, by turns',
    reply: wrapped(
      (text) => ({ parts: [json(completion(`${text}@`)).replace('@', String.raw`\ud83d`)] }),
      (text) => ({ body: completion(`${text}\u0000`) }),
    ),
    cells: 'all',
    action: 'nothing: such a character is replaced',
  },
  'raw-line-break': {
    about: 'writes JSON with line breaks inside texts',
    reply: wrapped((text) => ({ parts: [json(completion(`@${text}`)).replace('@', '\n')] })),
    cells: 'none',
    says: [/not JSON/],
    action: REPAIR,
  },
  'text-field': {
    about: 'answers in the field of the older API',
    reply: wrapped((text) => ({ body: { choices: [{ text, index: 0, finish_reason: 'stop' }] } })),
    cells: 'none',
    says: [/unknown form/],
    action: 'use an address that speaks /chat/completions',
  },
  'no-choice': {
    about: 'answers without a choice',
    reply: wrapped((text) => ({ body: completion(text, { choices: [] }) })),
    cells: 'none',
    says: [/unknown form/],
    action: REPAIR,
  },
  'fails-once': {
    about: 'fails at first: 408, 409, 425, 503, 529, 429 with a date, or an error with status 200, by turns',
    reply: atFirst(
      ...[408, 409, 425, 503, 529].map((status) => () => refused('Loading model', {}, status)),
      () => ({ ...refused('slow', {}, 429), headers: { 'retry-after': new Date(Date.now()).toUTCString() } }),
      () => ({ ...refused('slow', {}, 429), headers: { 'retry-after': '-5' } }),
      () => ({ body: { error: { message: 'Rate limit exceeded', code: 429 } } }),
      () => ({ body: { choices: null, error: { message: 'Provider returned error: rate limit', code: 429 } } }),
    ),
    cells: 'all',
    action: 'nothing: the request is repeated',
  },
  'embed-forms': {
    about: 'sends vectors in base64, in another order, without an index, or counts null tokens, by turns',
    embed: (vectors) => vectorForm()(vectors),
    cells: 'all',
    action: EVERY_FORM,
  },
  redirect: {
    about: 'redirects every call to another path (307)',
    reply: () => ({ status: 307, headers: { location: '/v1/other' }, body: '' }),
    cells: 'none',
    says: [/HTTP 307/, /\/v1\/other/],
    action: 'enter the address that the redirect names: credentials are sent to no other one',
  },
  hour: {
    about: 'refuses all calls for an hour (429)',
    reply: () => ({ ...refused('Daily limit reached', {}, 429), headers: { 'retry-after': '3600' } }),
    cells: 'none',
    says: [/Daily limit reached; the service asks to be called again in 1 h/],
    action: 'start the same run after that time, with --no-cold-reset --retry-failed',
  },
  'embed-batch': {
    about: 'takes two texts at a time',
    embed: (vectors) =>
      vectors.length > 2
        ? refused('batch size is invalid, it should not be larger than 2.')
        : vectorsIn(rowsOf(vectors)),
    cells: 'all',
    action: 'nothing: batches are halved until they are taken, and that is kept for the next run',
  },
  'embed-empty': {
    about: 'refuses an empty text',
    embed: (vectors, { input }) =>
      [input ?? []].flat().some((text) => text.trim() === '')
        ? refused('input cannot be an empty string')
        : vectorsIn(rowsOf(vectors)),
    cells: 'all',
    action: 'nothing: no empty text is sent',
  },
  'embed-index': {
    about: 'numbers every vector 0',
    embed: (vectors) => vectorsIn(vectors.map((embedding) => ({ index: 0, embedding }))),
    cells: 'all',
    action: 'nothing: the texts are sent in smaller batches, in the end one by one',
  },
  'embed-nested': {
    about: 'sends each vector inside a list',
    embed: (vectors) => vectorsIn(vectors.map((vector, index) => ({ index, embedding: [vector] }))),
    cells: 'none',
    says: [/unknown form/],
    action: REPAIR,
  },
  'embed-sizes': {
    about: 'sends vectors of two lengths',
    embed: (vectors) =>
      vectorsIn(vectors.map((vector, index) => ({ index, embedding: index % 2 === 0 ? vector : vector.slice(1) }))),
    cells: 'all',
    action: 'nothing: the texts are sent in smaller batches, in the end one by one',
  },
  'embed-null': {
    about: 'sends null in place of the second vector',
    embed: (vectors) =>
      vectorsIn(vectors.map((embedding, index) => ({ index, embedding: index === 1 ? null : embedding }))),
    cells: 'all',
    action: 'nothing: the texts are sent in smaller batches, in the end one by one',
  },
  'embed-zero': {
    about: 'sends vectors of zeros',
    embed: (vectors) => vectorsIn(rowsOf(vectors.map((vector) => vector.map(() => 0)))),
    cells: 'none',
    says: [/zero/],
    action: REPAIR,
  },
}
