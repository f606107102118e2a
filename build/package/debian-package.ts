import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PackageFile } from './strip-types.ts'
import { PROGRAM_NAME } from './package-config.ts'

// The Debian package of the desktop app, made by dpkg-deb from the unpacked app: everything below /opt/rag-ladder, a command, a menu entry and an icon. It has no scripts that run at
// installation, so that removing it leaves nothing behind but what a person made.

const HOME = 'opt/rag-ladder'
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Libraries that Electron links to, by the names of Debian 12 and Ubuntu 24.04. */
const DEPENDS = [
  'libgtk-3-0 | libgtk-3-0t64',
  'libnss3',
  'libasound2 | libasound2t64',
  'libgbm1',
  'libatk-bridge2.0-0 | libatk-bridge2.0-0t64',
  'libcups2 | libcups2t64',
  'libdrm2',
  'libxkbcommon0',
  'xdg-utils',
]

interface DebianPackage {
  /** Folder of the unpacked app. */
  app: string
  /** Folder that the package is written to. */
  output: string
  /** A picture of 512 × 512 pixels. */
  icon: string
  packageFile: PackageFile & { description: string }
  arch: string
}

/** The control file: name, version, libraries and size in KiB. Throws for a processor that Debian has no name for here. */
export function controlFile(
  { packageFile, arch }: Pick<DebianPackage, 'packageFile' | 'arch'>,
  sizeKib: number,
): string {
  const architecture = ARCHITECTURES[arch]
  if (architecture === undefined) throw new Error(`no Debian package for the processor ${arch}`)
  const fields = {
    Package: packageFile.name,
    Version: packageFile.version,
    Architecture: architecture,
    Maintainer: 'RAG Ladder contributors <noreply@rag-ladder.invalid>',
    'Installed-Size': String(sizeKib),
    Depends: DEPENDS.join(', '),
    Section: 'science',
    Priority: 'optional',
    Description: packageFile.description,
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

const DESKTOP_ENTRY = `[Desktop Entry]
Type=Application
Name=RAG Ladder
Comment=Find out which retrieval approach fits your data
Exec=/${HOME}/${PROGRAM_NAME} %U
Icon=rag-ladder
Categories=Science;
Terminal=false
StartupWMClass=rag-ladder
`

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map((entry) => stat(join(entry.parentPath, entry.name))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

async function write(file: string, content: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, content)
}

/** Writes the package and returns its file. Rejects where dpkg-deb is missing. */
export async function writeDebianPackage(options: DebianPackage): Promise<string> {
  const { app, output, icon, packageFile, arch } = options
  const tree = join(output, 'debian')
  await rm(tree, { recursive: true, force: true })
  await cp(app, join(tree, HOME), { recursive: true, verbatimSymlinks: true })
  // Electron's sandbox for systems without user namespaces.
  await chmod(join(tree, HOME, 'chrome-sandbox'), 0o4755)
  await write(join(tree, 'usr/share/applications/rag-ladder.desktop'), DESKTOP_ENTRY)
  await cp(icon, join(tree, 'usr/share/icons/hicolor/512x512/apps/rag-ladder.png'))
  await cp('LICENSE', join(tree, 'usr/share/doc/rag-ladder/copyright'))
  await mkdir(join(tree, 'usr/bin'), { recursive: true })
  await symlink(`/${HOME}/${PROGRAM_NAME}`, join(tree, 'usr/bin', PROGRAM_NAME))
  await write(join(tree, 'DEBIAN/control'), controlFile(options, Math.ceil((await sizeOf(tree)) / 1024)))
  const file = join(output, `rag-ladder-${packageFile.version}-linux-${arch}.deb`)
  // Readable by everyone whatever the mask of this process: the files belong to the system.
  await promisify(execFile)('chmod', ['-R', 'u+rwX,go+rX,go-w', tree])
  await promisify(execFile)('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', tree, file])
  await rm(tree, { recursive: true })
  return file
}
