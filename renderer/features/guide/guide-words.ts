/** The texts of the page Guide. */
export const GUIDE_WORDS = {
  page: {
    tour: 'Take the tour',
    guide: 'Guide',
    theGuide: 'The guide',
    unknownPage: 'No such page in the guide',
    choosePage: 'Choose one of the pages on the left.',
  },

  guideView: {
    code: 'Code',
    table: 'Table',
  },
} as const
