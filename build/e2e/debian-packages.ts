import { existsSync } from 'node:fs'
import { spawn } from 'node:child_process'

/** Lists what a Debian machine needs to show a window without a screen. */
export const DISPLAY_PACKAGES = ['xvfb', 'xauth']

/** Libraries that Electron's binary is linked against; newer releases add `t64` to some names. */
export const ELECTRON_PACKAGES = [
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libatk-bridge2.0-0',
  'libcups2',
  'libdrm2',
  'libxkbcommon0',
]

function run(command: string, args: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}

/** The flag that lets a test command install system packages on a person's machine. */
export const INSTALL_FLAG = '--install'

/**
 * True when tests may install system packages: only in CI (`CI=true`) or where the person asked for it by `--install`, and only as root on
 * Debian or its kin. A person's machine is not changed unasked.
 */
export const mayInstallPackages = (
  env: Record<string, string | undefined> = process.env,
  args: readonly string[] = process.argv,
  canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get'),
): boolean => canInstall && (env['CI'] === 'true' || args.includes(INSTALL_FLAG))

/** Installs packages by apt and reports it; false when that failed. Nothing is ever asked. */
export async function installPackages(names: string[]): Promise<boolean> {
  console.log(`installing ${names.join(' ')}`)
  const install = (wanted: string[]): Promise<boolean> =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...wanted])
  if (!(await run('apt-get', ['update', '-qq']))) return false
  if (await install(names)) return true
  const renamed = names.map((name) => (['libgtk-3-0', 'libasound2', 'libcups2'].includes(name) ? `${name}t64` : name))
  return install(renamed)
}
