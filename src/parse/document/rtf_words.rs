//! Words of Rich Text Format: which destinations are read, and which words leave letters readable. What is in no list here
//! and not worked out by the scanner leaves the letters behind it in doubt.

use super::docx_known::is_in;

/// Destinations that belong to no text.
const NEVER_TEXT: &str = "\
    bkmkend bkmkstart datafield filetbl generator info latentstyles listoverridetable listtable mmathPr nonshppict \
    objalias objclass objdata objname objsect object pgptbl pict private revtbl rsidtbl rxe tc template themedata txe \
    xe xmlnstbl";

/// Words that say where, how wide or in which language, and cannot hide anything by themselves.
const HARMLESS: &str = "\
    ab adjustright ai aenddoc aendnotes allprot alntblind alt annotprot ansi ansicpg aspalpha aspnum au aul b box brdrt \
    brkfrm bdbfhdr bdrrlswsix bookfold c caps cchs cf cgrid charrsid chatn chdate chdpa chdpl chftn chftnsep chftnsepc \
    chpgn chtime collapsed cols colsx colno colsr colw column contextualspace cpg cs ctrl cts cufi culi curi cvmme dbch \
    deff defformat defshp deftab delrsid dfrmtxtx dfrmtxty dntblnsbdb doctemp doctype ds dropcapli dropcapt \
    dxfrtext emdash emspace enddoc endash endnhere endnotes enspace expshrtn faauto facenter facingp fafixed fahang \
    faroman favar fbias fbidi fchars fcharset fcs fdecor fet field flddirty fldedit fldlock fldpriv fldrslt fmodern fname \
    fnil footer footerr footnote formdisp formprot formshade formfield fprq fracwidth froman fromhtml fromtext fscript \
    fswiss ftech gridtbl gutter gutterprl guttersxn header headerr headery footery hich hl horzdoc horzsect \
    htmautsp htmlrtf i ilvl intbl irow irowband insrsid itap jclisttab jcompress jexpand jis jsksu jsku keep keepn \
    kerning ksulang landscape lastrow lbr lchars ldblquote linkstyles lin loch lnbrkrule lndscpsxn lnongrid lquote ls \
    ltrch lytcalctblwd lytexcttp lytprtmet lyttblrtgr mac makebackup margmirror margmirsxn nobrkwrptbl nocolbal \
    nocwrap noextrasprl nocompatoptions nofeaturethrottle nolead noline nolnhtadjtbl nooverflow noproof nosectexpand \
    nosnaplinegrid nospaceforul nosupersub notabind notbrkcnstfrctbl nouicompat noultrlspc nowidctlpar nowrap nowwrap \
    noxlattoyen oldas oldlinewrap otblrul outl outlinelevel pagebb panose pararsid pc pca pgbrdropt phcol phmrg phpg \
    posxc posxi posxl posxo posxr posyb posyc posyil posyin posyout posyt prcolbl psover psz pvmrg pvpara pvpg qc qd qj \
    qk ql qmspace qr qt rdblquote rempersonalinfo revbar revised revisions revprop revprot revauth revdttm rin rquote rsid \
    rtf rtlch rtlgutter s sa saauto sautoupd sb sbasedon sbauto sbys scaps sect sectd sectdefaultcl sectexpand \
    sectlinegrid sectnum sectrsid sectspecifycl sectspecifygen sectspecifyl sectunlocked shad shppict slmult \
    snaptogridincell softcol softlheight softline softpage splytwnine sprsbsp sprslnsp sprsspbf sprstsm sprstsp \
    snext stshfbi stshfdbch stshfhich stshfloch strike striked stylesheet sub subfontbysize super swpbdr \
    tabsnoovrlp taprtl tblrsid tblind tblindtype tcelld titlepg toplinepunct transmf truncatefontheight truncex ts \
    tsd tsrowd u uc ud useltbaln vern version vertdoc vertsect viewkind viewnobound viewscale viewzk webhidden widctlpar \
    widowctrl windowcaption wpjst wpsp wraptrsp wrppunct wrpdflt yts zwbo zwj zwnbo zwnj bullet \
    ignoremixedcontent showplaceholdtext trackmoves trackformatting validatexml showxmlerrors saveinvalidxml \
    donotembedsysfont donotembedlingdata grfdocevents relyonvml asianbrkrule newtblstyruls nogrowautofit \
    utinl usexform ltrsect rtlsect hyphpar spltpgpar ltrmark rtlmark nestcell nestrow absnoovrlp abslock nobreak \
    cocoartf cocoatextscaling cocoaplatform cocoasubrtf partightenfactor expansion slleading pardirnatural \
    lsdstimax lsdlockeddef lsdsemihiddendef lsdunhideuseddef lsdqformatdef lsdprioritydef kerningon \
    additive brsp falt fbidis hlink slink spriority sqformat sunhideused ssemihidden shidden styrsid spersonal sreply \
    scompose vieww viewh readonlydoc cssrgb stextflow horzvert ctint cshade cmaindarkone";

/// Beginnings of words of which the same holds.
const FAMILIES: &str = "\
    aftn al af brdr cell chbrdr clbrdr clfts clpad cltx clvertal clw deflang dgh dgm dgs dgv fc ff ftn hyph lang level \
    line list lsd ltr pgbrdr pgn pn rtl sbk sftn saftn tbllk tl tphcol tphmrg tphpg tposx tposy tpv tq trautofit trauth \
    trbrdr trdate trfts trgaph trhdr trkeep trpadd trql trqc trqr trspd trw tsb tsc tsv ul vertal xform wp";

/// Whether a destination holds no text.
pub(super) fn is_never_text(name: &str) -> bool {
    is_in(NEVER_TEXT, name)
}

/// Whether a word leaves letters as they are, as far as a person can read them.
pub(super) fn is_harmless(name: &str) -> bool {
    is_in(HARMLESS, name) || FAMILIES.split_ascii_whitespace().any(|family| name.starts_with(family))
}
