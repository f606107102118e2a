import { readFile } from 'node:fs/promises'

interface LockedPackage {
  version?: string
  optional?: boolean
  os?: string[]
  cpu?: string[]
  optionalDependencies?: Record<string, string>
}

/** Systems a person may install this on, by the words that packages use for them. */
const PLATFORMS = [
  { os: 'darwin', cpu: 'arm64' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'linux', cpu: 'x64' },
  { os: 'win32', cpu: 'x64' },
]

const serves = (entry: LockedPackage, { os, cpu }: (typeof PLATFORMS)[number]): boolean =>
  (entry.os === undefined || entry.os.includes(os)) && (entry.cpu === undefined || entry.cpu.includes(cpu))

/**
 * Packages that ship one native build per platform must have them all in the lock file, or `npm ci` fails elsewhere. Returns one
 * sentence per gap. Only families in which some build names an operating system count.
 */
export function platformGaps(packages: Record<string, LockedPackage>): string[] {
  const at = (name: string): LockedPackage | undefined => packages[`node_modules/${name}`]
  return Object.entries(packages).flatMap(([path, { optionalDependencies }]) => {
    // A build for one system needs its own parts only.
    const names = packages[path]!.os === undefined ? Object.keys(optionalDependencies ?? {}) : []
    const builds = names.map(at)
    if (!builds.some((build) => build?.os !== undefined && build.cpu !== undefined)) return []
    const absent = names.filter(
      (_, index) => builds[index] === undefined && !path.includes(`/node_modules/${names[index]}`),
    )
    const nested = absent.filter((name) => packages[`${path}/node_modules/${name}`] === undefined)
    const native = builds.filter((build): build is LockedPackage => build?.os !== undefined)
    const unserved = PLATFORMS.filter((platform) => !native.some((build) => serves(build, platform)))
    return [
      ...nested.map((name) => `${path} wants ${name}, which the lock file lacks`),
      ...unserved.map(({ os, cpu }) => `${path} has no build for ${os} ${cpu} in the lock file`),
    ]
  })
}

export async function lockFileGaps(): Promise<string[]> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> }
  return platformGaps(lock.packages)
}
