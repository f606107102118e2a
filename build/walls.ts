import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const AREAS = ['contract', 'core', 'charts', 'main', 'providers', 'tests', 'build', 'preload', 'renderer']

interface Cruise {
  summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] }
  modules: { source: string }[]
}

/** Source files of the areas that exist, as the file system has them. */
async function sources(root: string, area: string): Promise<string[]> {
  const names = await readdir(join(root, area), { recursive: true }).catch(() => [])
  return names.filter((name) => /\.(ts|tsx)$/.test(name)).map((name) => `${area}/${name.replaceAll('\\', '/')}`)
}

async function cruise(root: string, areas: string[]): Promise<Cruise> {
  const cli = fileURLToPath(new URL('../node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', import.meta.url))
  // It exits with the number of violations; what it found is in its output either way.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, '--output-type', 'json', ...areas], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  }).catch((error: unknown) => error as { stdout: string; stderr: string })
  if (stdout === '') throw new Error(`dependency-cruiser printed nothing: ${stderr}`)
  return JSON.parse(stdout) as Cruise
}

/** Import walls by dependency-cruiser. Every source file must have been read: a cruise that saw fewer proves nothing. */
export async function checkWalls(root = process.cwd()): Promise<{ problems: string[]; modules: number }> {
  const files = (await Promise.all(AREAS.map((area) => sources(root, area)))).flat()
  const areas = AREAS.filter((area) => files.some((file) => file.startsWith(`${area}/`)))
  if (areas.length === 0) return { modules: 0, problems: ['no source file was found'] }
  const { summary, modules } = await cruise(root, areas)
  const seen = new Set(modules.map(({ source }) => source))
  const unread = files.filter((file) => !seen.has(file))
  return {
    modules: files.length - unread.length,
    problems: [
      ...summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
      ...unread.map((file) => `not read by the cruise: ${file}`),
    ],
  }
}
