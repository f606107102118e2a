import { runTool } from './run-step.ts'
import { answerHelp } from './answer-help.ts'

answerHelp('npm run golden:update: rewrites the golden files from what the code gives now')

/** Rewrites the golden files from what the code gives now. Look at the difference before committing it. */
const result = await runTool('golden files', 'vitest', ['run', '--project', 'unit', 'main/report', 'tests/golden'], {
  GOLDEN_UPDATE: '1',
})
console.log(result.output)
process.exitCode = result.ok ? 0 : 1
