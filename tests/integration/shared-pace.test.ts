import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { completionOf } from '../helpers/capable-model.ts'
import { startServiceWithRate, type LimitedService } from '../helpers/limited-service.ts'

const CALLER = fileURLToPath(new URL('../helpers/limited-caller.ts', import.meta.url))
const CALLS = 160
const PER_SECOND = 40

let folder: string
let service: LimitedService
beforeEach(async () => {
  folder = await temporaryFolder('shared-pace')
  service = await startServiceWithRate(PER_SECOND, () => completionOf({ content: 'Paris.' }))
})
afterEach(async () => {
  await service.close()
})

const caller = async (pacesDir: string): Promise<{ answered: number; failed: string[] }> => {
  const { stdout } = await promisify(execFile)(process.execPath, [CALLER, service.url, pacesDir, `${CALLS}`])
  return JSON.parse(stdout) as { answered: number; failed: string[] }
}

it('two processes share the pace of a service that limits its calls: none fails, and few calls are refused', async () => {
  const results = await Promise.all([caller(folder), caller(folder)])
  expect(results).toEqual(Array(2).fill({ answered: CALLS, failed: [] }))
  expect(service).toMatchObject({ answered: 2 * CALLS, most: PER_SECOND })
  expect(service.refused).toBeGreaterThan(0)
  expect(service.refused).toBeLessThan((2 * CALLS) / 5)
})
