import { fork } from 'node:child_process'
import { constants, getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

it('the process of a network yields the processor to requests', async () => {
  const child = fork(fileURLToPath(new URL('onnx-child.ts', import.meta.url)), { execArgv: ['--no-warnings'] })
  onTestFinished(() => void child.kill())
  await expect
    .poll(() => getPriority(child.pid), { timeout: 20_000 })
    .toBe(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
})
