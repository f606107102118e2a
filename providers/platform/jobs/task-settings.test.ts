import { statSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEnvReader } from '../../kit/env-reader.ts'
import { readTaskSettings, storedSigningSecret } from './task-settings.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'

it('keeps soft limit, hard limit and visibility timeout in this order, and a secret long enough', () => {
  const problems = (env: Record<string, string>) => {
    const reader = createEnvReader(env)
    readTaskSettings(reader)
    return reader.problems
  }
  expect(problems({ TASK_TIME_LIMIT_SECONDS: '841' })).toEqual([])
  expect(problems({ TASK_TIME_LIMIT_SECONDS: '840' })).toEqual([
    'TASK_TIME_LIMIT_SECONDS: 840 must be greater than TASK_SOFT_TIME_LIMIT_SECONDS (840)',
  ])
  expect(problems({ TASK_BROKER_VISIBILITY_TIMEOUT_SECONDS: '900' })).toEqual([
    'TASK_BROKER_VISIBILITY_TIMEOUT_SECONDS: 900 must be greater than TASK_TIME_LIMIT_SECONDS (900)',
  ])
  expect(problems({ TASK_SIGNING_SECRET: 'x'.repeat(31) })).toEqual(['TASK_SIGNING_SECRET: shorter than 32 bytes'])
  expect(problems({ TASK_SIGNING_SECRET: 'x'.repeat(32) })).toEqual([])
})

it('keeps one random secret in the state folder, which its owner alone may read', async () => {
  const folder = await temporaryFolder('task-secret')
  const secret = storedSigningSecret(folder)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(storedSigningSecret(folder)).toBe(secret)
  expect(statSync(join(folder, 'task-signing-secret')).mode & 0o777).toBe(0o600)
})

it('replaces an empty secret, as a kill of an earlier version could leave it', async () => {
  const folder = await temporaryFolder('task-secret')
  await writeFile(join(folder, 'task-signing-secret'), '')
  const secret = storedSigningSecret(folder)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(storedSigningSecret(folder)).toBe(secret)
  expect(await readdir(folder)).toEqual(['task-signing-secret'])
})
