import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Models are kept in `RAG_LADDER_MODELS_DIR`, else the system's place for what can be fetched again. */
export function modelCacheFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  const named = env['RAG_LADDER_MODELS_DIR']?.trim() ?? ''
  if (named !== '') return resolve(named)
  return join(systemCache(env, platform), 'rag-ladder', 'models')
}

function systemCache(env: Env, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches')
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local')
  // The XDG base directory specification requires an absolute path and has any other ignored.
  const xdg = env['XDG_CACHE_HOME'] ?? ''
  return xdg.startsWith('/') ? xdg : join(homedir(), '.cache')
}

/** The store reads these from the environment. */
export function modelStoreSettings(env: Env): { cacheFolder: string; hub: string; isOffline: boolean } {
  const isSet = (name: string) => /^(1|true|yes|on)$/i.test(env[name]?.trim() ?? '')
  const hub = env['HF_ENDPOINT']?.trim() ?? ''
  return {
    cacheFolder: modelCacheFolder(env),
    hub: URL.canParse(hub) ? hub.replace(/\/+$/, '') : 'https://huggingface.co',
    isOffline: isSet('HF_HUB_OFFLINE') || isSet('RAG_LADDER_OFFLINE'),
  }
}
