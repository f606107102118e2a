import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

// Other tests of this process have read the language model.
const SCRIPT = `
  import { createRequire } from 'node:module'
  import { warmBuiltinModels } from ${JSON.stringify(new URL('load-builtin.ts', import.meta.url))}
  const isRead = () => Object.keys(createRequire(import.meta.url).cache).some((name) => name.includes('wink-eng-lite-web-model'))
  const remote = { backend: 'openai' }
  await warmBuiltinModels({ roles: { embed: remote, rerank: remote } })
  const before = isRead()
  await warmBuiltinModels({ roles: { embed: { backend: 'builtin' }, rerank: remote } })
  console.log(JSON.stringify([before, isRead()]))
`

it('reads the language model before the first call, and only for a set with a rule-based model', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', SCRIPT])
  expect(JSON.parse(stdout)).toEqual([false, true])
})
