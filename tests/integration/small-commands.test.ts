import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runCliProcess, smokeProject } from '../helpers/cli.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const project = await smokeProject()
afterAll(() => rm(project, { recursive: true, force: true }))

/** Lists the files that a command loads: Node's coverage names each of them. */
async function filesLoadedBy(args: string[]): Promise<string[]> {
  const folder = await temporaryFolder()
  const { code, stderr } = await runCliProcess(args, { NODE_V8_COVERAGE: folder })
  expect(code, stderr).toBe(0)
  const [report] = await readdir(folder)
  const { result } = JSON.parse(await readFile(join(folder, report!), 'utf8')) as { result: { url: string }[] }
  return result.map(({ url }) => url)
}

// Modules of one file in the bundle are loaded together: a module that is missing in the lists of build/program-bundle.ts loads what the engine needs.
it.each(['help', 'metrics', 'flavors list', 'trash list', 'models list'])(
  'the command "%s" loads no database and no HTTP server',
  async (command) => {
    const args = command.split(' ')
    const loaded = await filesLoadedBy(args.length > 1 ? [...args, '--project', project] : args)
    expect(loaded.length).toBeGreaterThan(5)
    expect(loaded.filter((url) => /better-sqlite3|create-engine|fastify/.test(url))).toEqual([])
  },
)
