import { statSync } from 'node:fs'
import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build, Platform } from 'electron-builder'
import { findElectron, officialElectron } from '../e2e/electron-runtime.ts'
import { runTool } from '../run-step.ts'
import { writeDebianPackage } from './debian-package.ts'
import { foreignTo, nativeFiles } from './native-files.ts'
import { packageConfig } from './package-config.ts'
import { builtPackageFile, writeJavaScript } from './strip-types.ts'
import { answerHelp } from '../answer-help.ts'
import { writeNotices } from '../licences/licences.ts'

const root = process.cwd()
// Installers need tools that are downloaded; the folder and the Debian package need nothing.
const wants = (flag: string): boolean => process.argv.includes(flag)

async function makePackage(): Promise<void> {
  const shell = await runTool('pages and shell', 'electron-vite', ['build', '--logLevel', 'warn'])
  if (!shell.ok) throw new Error(shell.output)
  const modules = await writeJavaScript(root, join(root, 'out/app'), 'app')
  await writeFile(join(root, 'out/app/package.json'), JSON.stringify(await builtPackageFile(root)))
  console.log(`${modules} modules without types`)
  const electron = officialElectron() ?? (await findElectron())
  const electronDist =
    electron === null ? undefined : join(electron, process.platform === 'darwin' ? '../../../..' : '..')
  const { platform, arch, env } = process
  const config = packageConfig({ electronDist, platform, arch, env })
  const made = await build({
    targets: Platform.current().createTarget(wants('--installer') ? null : 'dir'),
    config,
    publish: 'never',
  })
  const [app] = await unpackedApps()
  if (app === undefined) throw new Error('dist holds no unpacked app')
  await checkNativeFiles(app)
  const packageFile = {
    ...(await builtPackageFile(root)),
    description: 'Shows which retrieval approach fits your data',
  }
  const isDebian = platform === 'linux' && (wants('--installer') || wants('--deb'))
  const icon = 'build/icons/icon.png'
  const debian = isDebian ? [await writeDebianPackage({ app, output: 'dist', icon, packageFile, arch })] : []
  console.log(`${app}: ${megabytes(await bytesBelow(app))} MB`)
  for (const file of [...made, ...debian].filter((one) => statSync(one).isFile()))
    console.log(`${relative(root, file)}: ${megabytes(statSync(file).size)} MB`)
}

/** The folders of `dist` that hold the app as it is after its installation. */
async function unpackedApps(): Promise<string[]> {
  const folders = (await readdir('dist', { withFileTypes: true })).filter((entry) => entry.isDirectory())
  return folders.map(({ name }) => join('dist', name)).filter((folder) => /-unpacked$|[\\/]mac(?:-\w+)?$/.test(folder))
}

/** Throws when the app holds a program or library of another system or processor. */
async function checkNativeFiles(app: string): Promise<void> {
  const files = await nativeFiles(app)
  const foreign = foreignTo(files, process)
  if (foreign.length > 0)
    throw new Error(
      `native files of another system: ${foreign.map(({ file, platform }) => `${file} (${platform})`).join(', ')}`,
    )
  console.log(`${files.length} native files, all for ${process.platform} ${process.arch}`)
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

answerHelp(
  'npm run package -- [--installer|--deb]: builds the desktop app in dist/; --installer makes all installers of this system, --deb the Debian package alone',
)

await rm(join(root, 'dist'), { recursive: true, force: true })
await cp(join(root, 'LICENSE'), join(root, 'out/LICENSE'))
await writeNotices()
await makePackage()
