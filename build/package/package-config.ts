import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Configuration } from 'electron-builder'
import { NOTICES_FILE } from '../licences/licences.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface PackageTarget {
  /** Folder of Electron's files; absent: electron-builder fetches them. */
  electronDist: string | undefined
  platform: NodeJS.Platform
  arch: string
  /** Names certificates and accounts, where there are any. */
  env?: Environment
}

/** Of the program inside the package. */
export const PROGRAM_NAME = 'rag-ladder-desktop'

const SYSTEMS = ['linux', 'darwin', 'win32'] as const
const ARCHS = ['x64', 'arm64'] as const

/** Systems as the builds of llama.cpp name them. */
const LLAMA_SYSTEMS = { linux: 'linux', darwin: 'mac', win32: 'win' } as const

/** Files that packages carry for other systems than the target's. */
function foreignFiles(platform: NodeJS.Platform, arch: string): string[] {
  const pairs = SYSTEMS.flatMap((system) => ARCHS.map((one) => ({ system, one })))
  const foreign = pairs.filter(({ system, one }) => system !== platform || one !== arch)
  return foreign.flatMap(({ system, one }) => [
    `!**/onnxruntime-node/bin/napi-v*/${system}/${one}/**`,
    `!**/prebuilds/${system}-${one}*/**`,
    `!**/better-sqlite3/prebuilds/*${system}*${one}*`,
    `!**/@node-llama-cpp/${LLAMA_SYSTEMS[system]}-${one}*/**`,
  ])
}

/** Returns what goes into the app, and what others may not do with it. */
export function packageConfig({ electronDist, platform, arch, env = {} }: PackageTarget): Configuration {
  return {
    appId: 'org.rag-ladder.desktop',
    productName: 'RAG Ladder',
    executableName: PROGRAM_NAME,
    artifactName: 'rag-ladder-${version}-${os}-${arch}.${ext}',
    directories: { output: 'dist', buildResources: 'build' },
    ...(electronDist === undefined ? {} : { electronDist }),
    // Native parts come ready-made for Node-API, which does not change with Electron.
    npmRebuild: false,
    files: [
      'package.json',
      'out/{main,preload,renderer,app}/**',
      'manifests/**',
      'corpus/**',
      'build/icons/*.png',
      'LICENSE',
      NOTICES_FILE,
      '!**/*.{map,d.ts,d.mts,d.cts,md,markdown}',
      // Licences ask that their texts go with the software, whatever the file is called.
      '**/{LICENSE,LICENCE,NOTICE,COPYING,THIRD-PARTY-NOTICES,ThirdPartyNotices}*.{md,markdown}',
      '**/{license,licence,notice,copying}*.{md,markdown}',
      'corpus/**/*.md',
      '!**/node_modules/*/{test,tests,example,examples,docs}/**',
      '!**/onnxruntime-web/**',
      // Sources to compile llama.cpp from, which nothing here does.
      '!**/node-llama-cpp/llama/**',
      ...foreignFiles(platform, arch),
    ],
    asar: true,
    // The engine's children and a plain Node cannot look into the archive.
    asarUnpack: [
      // Says that the modules beside it are ES modules.
      'package.json',
      'out/app/**',
      'out/renderer/**',
      'out/main/utility-child.js',
      'node_modules/**',
      'manifests/**',
      'corpus/**',
    ],
    electronFuses: {
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
    },
    // An Electron that was taken from elsewhere may bring a starter of its own.
    afterPack: async ({ appOutDir }) => rm(join(appOutDir, 'resources/app'), { recursive: true, force: true }),
    // The Debian package is made by debian-package.ts, which needs no download.
    // The window belongs to the menu entry of the name that package.json gives to Electron.
    linux: { target: ['AppImage'], category: 'Science', icon: 'build/icons/icon.png', syncDesktopName: true },
    mac: {
      target: ['dmg', 'zip'],
      category: 'public.app-category.developer-tools',
      icon: 'build/icons/icon.png',
      hardenedRuntime: true,
      // Without a certificate the app is signed for this machine alone: an Apple processor starts nothing unsigned.
      ...(hasCertificate(env) ? {} : { identity: '-' }),
      notarize: hasCertificate(env) && hasNotary(env),
      // Without the microphone's entitlement a signed app records nothing, whatever the person allows.
      entitlements: 'build/entitlements.mac.plist',
      entitlementsInherit: 'build/entitlements.mac.plist',
      extendInfo: { NSMicrophoneUsageDescription: 'Recordings become documents or voices of a dataset.' },
    },
    win: { target: ['nsis'], icon: 'build/icons/icon.png' },
    // For one person, without an administrator. What the app has written stays when it is removed.
    nsis: { oneClick: true, perMachine: false, deleteAppDataOnUninstall: false },
  }
}

const isSet = (env: Environment, ...names: string[]): boolean => names.every((name) => (env[name] ?? '') !== '')

const hasCertificate = (env: Environment): boolean => isSet(env, 'CSC_LINK') || isSet(env, 'CSC_NAME')

/** The accounts that electron-builder reads by itself: a key of App Store Connect, an Apple ID, or a profile of the keychain. */
const hasNotary = (env: Environment): boolean =>
  isSet(env, 'APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER') ||
  isSet(env, 'APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID') ||
  isSet(env, 'APPLE_KEYCHAIN_PROFILE')
