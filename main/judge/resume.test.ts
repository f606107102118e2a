import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { gradeByText, gradingBy, sampleInput, samplePanel, sampleQuestion } from '../../tests/helpers/judge-panel.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { runJudgePanel } from './run-panel.ts'
import { journalPath } from './verdict-journal.ts'
import { suiteFaultServer } from '../../tests/helpers/test-server.ts'

const endpoint = await suiteFaultServer()

const input = sampleInput(
  Array.from({ length: 5 }, (_, index) =>
    sampleQuestion(`q-${index}`, { one: `Text ${index}.`, two: `Other ${index}.` }),
  ),
)
const VERDICTS = 5 * 2 * 2

/** Runs a judging process and kills it when it has sent its n-th prompt, which is never answered. */
async function killedAtPrompt(n: number, folder: string, file: string): Promise<void> {
  const inputFile = join(folder, 'input.json')
  await writeFile(inputFile, JSON.stringify(input))
  const from = endpoint.requests.length
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'tests/helpers/judge-child.ts')], {
    env: { ...process.env, INPUT: inputFile, ENDPOINT: endpoint.url, FILE: file },
    stdio: 'inherit',
  })
  const grade = gradingBy(gradeByText)
  endpoint.script((response, request, body) => {
    if (endpoint.requests.length - from < n) grade(response, request, body)
    else child.kill('SIGKILL')
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
}

const keptLines = async (file: string): Promise<number> =>
  (await readFile(journalPath(file), 'utf8')).split('\n').length - 1

it('a killed panel continues with what is missing, and ends with the bytes of one that was never killed', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'run-1-locks-judgments.json')
  let kept = 0
  for (const n of [1, 4, 8]) {
    await killedAtPrompt(n, folder, file)
    const before = kept
    kept = await keptLines(file)
    // Of the answered prompts at most the one in flight beside the killer's may have been lost.
    expect(kept - before).toBeGreaterThanOrEqual(Math.max(0, n - 2))
    expect(kept - before).toBeLessThanOrEqual(n - 1)
  }

  endpoint.requests.length = 0
  endpoint.script(gradingBy(gradeByText))
  const options = {
    panel: samplePanel({ rotations: 2 }),
    gateway: { url: endpoint.url, apiKey: null },
    aliases: [],
    seed: 'seed',
  }
  const { judgments } = await runJudgePanel(input, { ...options, file })
  expect(judgments.status).toBe('ok')
  expect(endpoint.requests).toHaveLength(VERDICTS - kept)

  const whole = join(await temporaryFolder(), 'run-1-locks-judgments.json')
  await runJudgePanel(input, { ...options, file: whole })
  expect(await readFile(file, 'utf8')).toBe(await readFile(whole, 'utf8'))
})
