import { runTool } from './run-step.ts'

/** Rewrites the golden files from what the code gives now. Look at the difference before committing it. */
const result = await runTool('golden files', 'vitest', ['run', '--project', 'unit', 'main/report', 'tests/golden'], {
  GOLDEN_UPDATE: '1',
})
console.log(result.output)
process.exitCode = result.ok ? 0 : 1
