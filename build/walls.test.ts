import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'
import { checkWalls } from './walls.ts'

let root: string

afterEach(() => rm(root, { recursive: true, force: true }))

async function project(files: Record<string, string>): Promise<void> {
  root = await mkdtemp(join(tmpdir(), 'rag-ladder-walls-'))
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json', 'tsconfig.base.json', 'package.json'])
    await cp(join(PROJECT_ROOT, name), join(root, name))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
}

const value = 'export const value = 1\n'
const from = (path: string): string => `import { value } from '${path}'\nexport const copy = value\n`

it('finds each forbidden import by its rule', async () => {
  await project({
    'contract/a.ts': from('../main/a.ts'),
    'main/a.ts': value,
    'main/b.ts': from('../providers/kit/a.ts'),
    'main/cli.ts': value,
    'main/c.ts': from('./cli.ts'),
    'main/one.ts': "import { two } from './two.ts'\nexport const one = (): number => two\n",
    'main/two.ts': "import { one } from './one.ts'\nexport const two = one.length\n",
    'main/type-one.ts': "import type { Two } from './type-two.ts'\nexport interface One {\n  two: Two\n}\n",
    'main/type-two.ts': "import type { One } from './type-one.ts'\nexport interface Two {\n  one: One\n}\n",
    'providers/platform/specified/compatibility/a.ts': value,
    'providers/platform/specified/media/media-part.ts': from('../compatibility/a.ts'),
    'providers/platform/rag/a.ts': from('../specified/compatibility/a.ts'),
    'providers/platform/composition/a.ts': value,
    'providers/platform/rag/b.ts': from('../composition/a.ts'),
    'providers/platform/jobs/a.ts': from('../stores/a.ts'),
    'providers/platform/stores/a.ts': from('./b.ts'),
    'providers/platform/stores/b.ts': from('../jobs/a.ts'),
    'renderer/components/a.ts': from('../features/cell/a.ts'),
    'renderer/features/cell/a.ts': value,
    'providers/kit/a.ts': value,
    'providers/kit/b.ts': from('../stt/a.ts'),
    'providers/stt/a.ts': value,
    'providers/tts/a.ts': from('../stt/a.ts'),
    'providers/tts/b.ts': from('../../main/a.ts'),
  })
  const { problems, modules } = await checkWalls(root)
  expect(modules).toBe(24)
  expect(problems.sort()).toEqual([
    'compatibility-is-imported-by-composition-only: providers/platform/rag/a.ts → providers/platform/specified/compatibility/a.ts',
    'compatibility-is-imported-by-composition-only: providers/platform/specified/media/media-part.ts → providers/platform/specified/compatibility/a.ts',
    'components-import-no-feature: renderer/components/a.ts → renderer/features/cell/a.ts',
    'contract-imports-zod-only: contract/a.ts → main/a.ts',
    'kit-imports-no-provider: providers/kit/b.ts → providers/stt/a.ts',
    'main-knows-only-the-contract: main/b.ts → providers/kit/a.ts',
    'no-circular: main/one.ts → main/two.ts',
    'no-circular: main/type-one.ts → main/type-two.ts',
    'no-circular: providers/platform/jobs/a.ts → providers/platform/stores/a.ts',
    'no-provider-imports-another: providers/kit/b.ts → providers/stt/a.ts',
    'no-provider-imports-another: providers/tts/a.ts → providers/stt/a.ts',
    'nothing-imports-a-host: main/c.ts → main/cli.ts',
    'nothing-of-the-platform-imports-its-composition: providers/platform/rag/b.ts → providers/platform/composition/a.ts',
    'providers-know-only-the-contract: providers/tts/b.ts → main/a.ts',
  ])
})

it('finds each import from a layer of main into one above it, and between two of one layer', async () => {
  await project({
    'main/lib/a.ts': value,
    'main/lib/b.ts': from('../evidence/a.ts'),
    'main/evidence/a.ts': from('../lib/a.ts'),
    'main/judge/a.ts': from('../evaluation/a.ts'),
    'main/evaluation/a.ts': from('../lib/a.ts'),
    'main/runner/a.ts': from('../engine/a.ts'),
    'main/engine/a.ts': from('../evidence/a.ts'),
    'main/engine/b.ts': "import type { Copy } from '../cli/a.ts'\nexport type Same = Copy\n",
    'main/cli/a.ts': 'export type Copy = number\n',
  })
  const { problems } = await checkWalls(root)
  expect(problems.sort()).toEqual([
    'main-engine-imports-only-what-is-below: main/engine/b.ts → main/cli/a.ts',
    'main-judge-imports-only-what-is-below: main/judge/a.ts → main/evaluation/a.ts',
    'main-lib-imports-only-what-is-below: main/lib/b.ts → main/evidence/a.ts',
    'main-runner-imports-only-what-is-below: main/runner/a.ts → main/engine/a.ts',
  ])
})

it('has the layer of every folder of main', async () => {
  const entries = await readdir(join(PROJECT_ROOT, 'main'), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const config = await readFile(join(PROJECT_ROOT, '.dependency-cruiser.cjs'), 'utf8')
  const layers = config.slice(config.indexOf('const LAYERS'), config.indexOf('const layerRules'))
  expect([...layers.matchAll(/'([a-z-]+)'/g)].map(([, name]) => name!).sort()).toEqual(folders.sort())
})

it('does not pass over an empty tree', async () => {
  await project({})
  expect(await checkWalls(root)).toEqual({ modules: 0, problems: ['no source file was found'] })
})
