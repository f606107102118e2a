import { readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { completion, samplePanel } from '../../tests/helpers/judge-panel.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { startLimitedService } from '../../tests/helpers/limited-service.ts'
import type { JudgeTask } from '../../core/judging/judge-task.ts'
import { createJudges } from './create-judges.ts'
import { leakScan } from './leak-scan.ts'

const task: JudgeTask = {
  question: 'How far does the lock rise?',
  reference: null,
  answerable: true,
  evidence: [],
  answers: [{ letter: 'A', text: 'Four metres.', answered: true }],
  token: '3f9c12ab77de',
}
const verdict = JSON.stringify({ check: task.token, scores: { A: 5 }, best: 'A', reasons: { A: 'right' } })

it('two judges share the pace of their endpoint, which takes two calls at a time: all 40 verdicts arrive, and other processes read of the limit', async () => {
  const folder = await temporaryFolder()
  const service = await startLimitedService(completion(verdict), { status: 429, headers: { 'retry-after-ms': '40' } })
  const panel = samplePanel({ endpoint: service.url })
  const judges = createJudges(panel, null, leakScan([]), { pacesDir: folder })
  try {
    const replies = await Promise.all(judges.flatMap((judge) => Array.from({ length: 20 }, () => judge.judge(task))))
    expect(replies.filter(({ ok }) => !ok)).toEqual([])
    expect(service).toMatchObject({ answered: 40, most: 2 })
    // Judges without a common pace keep four calls under way at least, and are refused with most of them.
    expect(service.refused).toBeLessThan(40)
    expect(await readdir(folder)).toHaveLength(1)
  } finally {
    await Promise.all(judges.map((judge) => judge.close()))
    await service.close()
  }
})
