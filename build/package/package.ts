import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, Platform } from 'electron-builder'
import { findElectron, officialElectron } from '../e2e/electron-runtime.ts'
import { runTool } from '../run-step.ts'
import { packageConfig } from './package-config.ts'
import { builtPackageFile, writeJavaScript } from './strip-types.ts'
import { answerHelp } from '../answer-help.ts'
import { writeNotices } from '../licences/licences.ts'

const root = process.cwd()
// Installers need tools that are downloaded; the folder needs nothing.
const isFolderOnly = !process.argv.includes('--installer')

async function makePackage(): Promise<void> {
  const shell = await runTool('pages and shell', 'electron-vite', ['build', '--logLevel', 'warn'])
  if (!shell.ok) throw new Error(shell.output)
  const modules = await writeJavaScript(root, join(root, 'out/app'), 'app')
  await writeFile(join(root, 'out/app/package.json'), JSON.stringify(await builtPackageFile(root)))
  console.log(`${modules} modules without types`)
  const electron = officialElectron() ?? (await findElectron())
  const electronDist =
    electron === null ? undefined : join(electron, process.platform === 'darwin' ? '../../../..' : '..')
  const config = packageConfig({ electronDist, platform: process.platform, arch: process.arch })
  const made = await build({
    targets: Platform.current().createTarget(isFolderOnly ? 'dir' : null),
    config,
    publish: 'never',
  })
  for (const file of made) console.log(file)
}

answerHelp('npm run package -- [--installer]: builds the desktop app in dist/; --installer makes installers too')

await rm(join(root, 'dist'), { recursive: true, force: true })
await cp(join(root, 'LICENSE'), join(root, 'out/LICENSE'))
await writeNotices()
await makePackage()
