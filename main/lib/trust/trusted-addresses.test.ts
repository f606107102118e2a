import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { distrustAddresses, isTrusted, trustAddresses, trustedOrigins } from './trusted-addresses.ts'

let folder: string
let env: Record<string, string>
beforeEach(async () => {
  folder = await temporaryFolder('trust')
  env = { RAG_LADDER_USER_DIR: join(folder, 'person') }
})

it('trusts whole origins that were kept or are in the variable, and nothing else', () => {
  expect(trustedOrigins(env)).toEqual([])
  trustAddresses(['https://LLM.example/v1', 'not an address', 'file:///etc/passwd'], env)
  const both = { ...env, RAG_LADDER_TRUSTED_ADDRESSES: 'http://127.0.0.1:4000/v1, http://x:80' }
  expect(trustedOrigins(both)).toEqual(['http://127.0.0.1:4000', 'http://x', 'https://llm.example'])
  expect(isTrusted('https://llm.example/other', both)).toBe(true)
  for (const other of [
    'http://llm.example',
    'https://llm.example:444',
    'https://llm.example.evil',
    'https://llm.example@evil',
    '',
  ])
    expect(isTrusted(other, both)).toBe(false)
  distrustAddresses(['https://llm.example'], env)
  expect(trustedOrigins(env)).toEqual([])
})

it.skipIf(process.platform === 'win32')('keeps the list for this person only', async () => {
  trustAddresses(['http://a'], env)
  const file = join(folder, 'person/trusted-addresses.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(['http://a'])
  await writeFile(file, 'damaged')
  expect(trustedOrigins(env)).toEqual([])
})
