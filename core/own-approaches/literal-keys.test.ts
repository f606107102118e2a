import { expect, it } from 'vitest'
import { OwnApproach } from '../../contract/manifests/own-approaches.ts'
import { literalKeys } from './literal-keys.ts'

const chat = (more: object) => OwnApproach.parse({ version: 1, kind: 'chat', url: 'http://127.0.0.1:1/ask', ...more })
const program = (more: object) =>
  OwnApproach.parse({ version: 1, kind: 'command', command: ['node', 'a.mjs'], ...more })
const LONG = `sk-proj-${'a1B2'.repeat(10)}`

it.each([
  [chat({ headers: { authorization: 'Bearer short-one' } }), 'headers.authorization'],
  [chat({ headers: { 'X-API-Key': 'short-one' } }), 'headers.X-API-Key'],
  [chat({ headers: { 'x-other': LONG } }), 'headers.x-other'],
  [chat({ url: 'http://127.0.0.1:1/ask?api_key=short-one' }), 'url: its parameter api_key'],
  [chat({ body: { auth: { token: 'short-one' } } }), 'body.auth.token'],
  [chat({ settings: { password: 'short-one' } }), 'settings.password'],
  [program({ settings: { note: LONG } }), 'settings.note'],
  [program({ command: ['node', 'a.mjs', `--key=${LONG}`] }), 'command'],
])('a key that every row would repeat is named by its place (%#)', (approach, place) => {
  expect(literalKeys(approach)).toEqual([expect.stringMatching(`^${place.replaceAll('.', '\\.')}: .*does not belong`)])
})

it.each([
  chat({ headers: { authorization: 'Bearer ${LAB_API_KEY}', 'x-keyword': 'ports', accept: 'text/plain' } }),
  chat({ url: 'http://127.0.0.1:1/ask?api-version=2024-05-01&keyword=x&k={{k}}' }),
  chat({ body: { max_tokens: 100, keywords: 'a b', key: '{{session}}', messages: [{ role: 'user' }] } }),
  program({ settings: { tokenizer: 'plain', mode: 'keys' }, env: ['LAB_API_KEY'] }),
])('what is no key is left alone (%#)', (approach) => {
  expect(literalKeys(approach)).toEqual([])
})
