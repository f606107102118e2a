/** Longest clip that can become a voice: the service refuses longer ones. */
export const LONGEST_CLIP_SECONDS = 30

/** A recording ends a moment after its limit has passed, and must be a clip that is taken even then. */
export const RECORDED_SECONDS = LONGEST_CLIP_SECONDS - 0.5
