// npm runs this once the packages exist. Plain JavaScript: `npm ci --dry-run` installs nothing, not even the Node that reads TypeScript, and runs
// this all the same.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const STEPS = ['prune-modules.ts', 'gpu-build.ts', 'program-bundle.ts']

if (process.env.npm_config_dry_run !== 'true') {
  for (const step of STEPS) {
    const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(step, import.meta.url))], {
      stdio: 'inherit',
    })
    if (status !== 0) process.exit(status ?? 1)
  }
}
