//! What people write above their columns, and what it says of each layout.

use karcher::Space;
use karcher::manifold::{Layout, Verdict};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn layouts(space: &str) -> Vec<Layout> {
    space.parse::<Space>().unwrap().manifold().unwrap().layouts()
}

fn check(space: &str, layout: &str, names: &[&str]) -> Verdict {
    let layouts = layouts(space);
    let chosen = layouts.iter().find(|known| known.name() == layout).unwrap_or_else(|| panic!("{space}: {layout}"));
    chosen.check_names(&layouts, names)
}

/// `ok`, `-` for silence, or what is right: `layout`, `:a,b` for an order, `*15` for a factor of all, `*a=15` of one,
/// `?words` of a remedy.
fn told(verdict: &Verdict, names: &[&str]) -> String {
    match verdict {
        Verdict::Agreement => "ok".to_owned(),
        Verdict::Silence => "-".to_owned(),
        Verdict::Contradiction(found) => {
            let order = found.ordered(names).map(|names| format!(":{}", names.join(",")));
            let is_of_all =
                found.factors.len() == names.len() && found.factors.iter().all(|f| f.1 == found.factors[0].1);
            let factor = |&(i, by): &(usize, f64)| format!("*{}={by}", names[i]);
            let factors = match is_of_all && !names.is_empty() {
                true => format!("*{}", found.factors[0].1),
                false => found.factors.iter().map(factor).collect(),
            };
            let remedy = found.remedy.as_ref().map(|remedy| format!("?{remedy}"));
            found.layout.clone().unwrap_or_default()
                + &order.unwrap_or_default()
                + &factors
                + &remedy.unwrap_or_default()
        }
    }
}

const DECIMAL: &str = "?convert to decimal degrees with a sign";
const ITSELF: &str = "?choose the coordinates themselves instead of ";
const DEGREES: &str = "?convert each to degrees";
const RADIANS: &str = "?convert each to radians";
const EULER: &str = "?they are Euler angles";

/// Space, layout, names, and the verdict.
#[rustfmt::skip]
const TABLE: &[(&str, &str, &str, &str)] = &[
    // latitude and longitude
    ("sphere:2", "latlon", "latitude longitude", "ok"),
    ("sphere:2", "latlon", "lat lng", "ok"),
    ("sphere:2", "latlon", "Lat. Long.", "ok"),
    ("sphere:2", "latlon", "decimalLatitude decimalLongitude", "ok"),
    ("sphere:2", "latlon", "decimalLongitude decimalLatitude", ":decimalLatitude,decimalLongitude"),
    ("sphere:2", "latlon", "lon lat", ":lat,lon"),
    ("sphere:2", "latlon", "LON LAT", ":LAT,LON"),
    ("sphere:2", "latlon", "lng lat", ":lat,lng"),
    ("sphere:2", "latlon", "pickup_longitude pickup_latitude", ":pickup_latitude,pickup_longitude"),
    ("sphere:2", "latlon", "startLng startLat", ":startLat,startLng"),
    ("sphere:2", "latlon", "lon_deg lat_deg", ":lat_deg,lon_deg"),
    ("sphere:2", "latlon", "location-long location-lat", ":location-lat,location-long"),
    ("sphere:2", "latlon", "XLONG XLAT", ":XLAT,XLONG"),
    ("sphere:2", "latlon", "reclong reclat", ":reclat,reclong"),
    ("sphere:2", "latlon", "reclat reclong", "ok"),
    ("sphere:2", "latlon", "glon glat", ":glat,glon"),
    ("sphere:2", "latlon", "SLONG SLAT", ":SLAT,SLONG"),
    ("sphere:2", "latlon", "l b", ":b,l"),
    ("sphere:2", "latlon", "nav_lon nav_lat", ":nav_lat,nav_lon"),
    ("sphere:2", "latlon", "lon1 lat1", ":lat1,lon1"),
    ("sphere:2", "latlon", "Längengrad Breitengrad", ":Breitengrad,Längengrad"),
    ("sphere:2", "latlon", "longitud latitud", ":latitud,longitud"),
    ("sphere:2", "latlon", "lon[0] lat[0]", ":lat[0],lon[0]"),
    ("sphere:2", "latlon", "x y", ":y,x"),
    ("sphere:2", "latlon", "X Y", ":Y,X"),
    ("sphere:2", "latlon", "coord_x coord_y", ":coord_y,coord_x"),
    ("sphere:2", "latlon", "y x", "ok"),
    ("sphere:2", "latlon", "phi lambda", "ok"),
    ("sphere:2", "latlon", "λ φ", ":φ,λ"),
    ("sphere:2", "latlon", "station lat", "?choose the column of longitude instead of station"),
    ("sphere:2", "latlon", "strike_lat strike_lon", "ok"),
    ("sphere:2", "latlon", "rad_lat rad_lon", "ok"),
    ("sphere:2", "latlon", "hour_lat hour_lon", "ok"),
    ("sphere:2", "ra-dec", "rarad decrad", "latlon-radians:decrad,rarad"),
    ("sphere:2", "latlon", "latdeg londeg", "ok"),
    ("projective:2", "strike-dip", "dd dip", "dip-direction-dip"),
    ("rotations:3", "rotation-vectors", "phi1 Phi phi2", "?they are Euler angles"),
    ("rotations:3", "rotation-vectors", "omega phi kappa", "?they are Euler angles"),
    ("sphere:2", "latlon", "lat station", "ok"),
    ("sphere:2", "latlon", "ra dec", "ra-dec"),
    ("sphere:2", "latlon", "RA_ICRS DE_ICRS", "ra-dec"),
    ("sphere:2", "latlon", "RAJ2000 DEJ2000", "ra-dec"),
    ("sphere:2", "latlon", "RAdeg DEdeg", "ra-dec"),
    ("sphere:2", "latlon", "right_ascension declination", "ra-dec"),
    ("sphere:2", "latlon", "dec ra", "ok"),
    ("sphere:2", "ra-dec", "ra dec", "ok"),
    ("sphere:2", "ra-dec", "lon lat", "latlon:lat,lon"),
    ("sphere:2", "ra-dec", "ra_hours dec_hours", "*15"),
    ("sphere:2", "ra-dec", "ra_hours dec", "*ra_hours=15"),
    ("sphere:2", "ra-dec", "ra_hours dec_deg", "*ra_hours=15"),
    ("sphere:2", "ra-dec", "dec_deg ra_hours", ":ra_hours,dec_deg*ra_hours=15"),
    ("sphere:2", "ra-dec", "RAh DEd", DECIMAL),
    ("sphere:2", "ra-dec", "RAhour Dec", "*RAhour=15"),
    ("sphere:2", "ra-dec", "rah dec", "*rah=15"),
    ("sphere:2", "ra-dec", "RA(hr) DEC(deg)", "*RA(hr)=15"),
    ("sphere:2", "ra-dec", "dec rah", ":rah,dec*rah=15"),
    ("sphere:2", "latlon", "RAh DEd", DECIMAL),
    ("sphere:2", "ra-dec", "ra_rad dec_rad", "latlon-radians:dec_rad,ra_rad"),
    ("sphere:2", "latlon", "dec inc", "declination-inclination"),
    ("sphere:2", "latlon", "Declination Inclination", "declination-inclination"),
    ("sphere:2", "latlon", "dir_dec dir_inc", "declination-inclination"),
    ("sphere:2", "latlon", "inc dec", "declination-inclination:dec,inc"),
    ("sphere:2", "latlon", "D I", "declination-inclination"),
    ("sphere:2", "declination-inclination", "GDec GInc", "ok"),
    ("sphere:2", "declination-inclination", "dec inc", "ok"),
    ("sphere:2", "declination-inclination", "inc dec", ":dec,inc"),
    ("sphere:2", "declination-inclination", "lat lon", "latlon"),
    ("sphere:2", "declination-inclination", "trend plunge", "ok"),
    ("sphere:2", "latlon", "strike dip", "?planes are axes: choose projective:2"),
    ("sphere:2", "latlon", "azimuth elevation", ":elevation,azimuth"),
    ("sphere:2", "latlon", "easting northing", "?they are lengths on a map"),
    ("sphere:2", "latlon", "colatitude longitude", "colatitude-longitude"),
    ("sphere:2", "latlon", "theta phi", "colatitude-longitude"),
    ("sphere:2", "latlon", "lat_rad lon_rad", "latlon-radians"),
    ("sphere:2", "latlon", "lon_rad lat_rad", "latlon-radians:lat_rad,lon_rad"),
    ("sphere:2", "latlon-radians", "lat (deg) lon (deg)", "latlon"),
    ("sphere:2", "latlon-radians", "lat (°) lon (°)", "latlon"),
    ("sphere:2", "latlon-radians", "lat_rad lon_rad", "ok"),
    ("sphere:2", "latlon", "lat_arcsec lon_arcsec", "*0.0002777777777777778"),
    ("sphere:2", "latlon", "latitude latitude", "?choose the column of longitude"),
    ("sphere:2", "vectors", "lat lon alt", "latlon:lat,lon"),
    ("sphere:2", "vectors", "x y z", "ok"),
    ("sphere:2", "vectors", "acc_x acc_y acc_z", "ok"),
    ("sphere:2", "vectors", "z y x", ":x,y,z"),
    ("sphere:1", "vectors", "sin_hour cos_hour", ":cos_hour,sin_hour"),
    ("sphere:1", "degrees", "phase_rad", "radians"),
    ("sphere:1", "radians", "headingDeg", "degrees"),
    ("sphere:1", "degrees", "hour", "*15"),
    ("sphere:1", "degrees", "heading", "-"),
    ("torus:2", "radians", "phi psi", "-"),
    ("torus:2", "radians", "phi_deg psi_deg", "degrees"),
    ("torus:2", "degrees", "phi [rad] psi [rad]", "radians"),
    // names that merely contain a word or a letter
    ("sphere:2", "latlon", "a b", "-"),
    ("sphere:2", "latlon", "flat salon", "-"),
    ("sphere:2", "latlon", "plateau longevity", "-"),
    ("sphere:2", "latlon", "max may", "-"),
    ("sphere:2", "latlon", "grade radius", "-"),
    ("sphere:2", "latlon", "0 1", "-"),
    ("sphere:2", "latlon", "x1 x2", "-"),
    ("sphere:2", "latlon", "V1 V2", "-"),
    ("sphere:2", "latlon", "december income", "-"),
    ("sphere:2", "vectors", "x1 x2 x3", "-"),
    ("euclidean:2", "vectors", "lon lat", "-"),
    ("euclidean:3", "vectors", "z y x", "-"),
    // lines and planes
    ("projective:2", "trend-plunge", "trend plunge", "ok"),
    ("projective:2", "trend-plunge", "plunge trend", ":trend,plunge"),
    ("projective:2", "trend-plunge", "Azimuth Plunge", "ok"),
    ("projective:2", "trend-plunge", "plunge azimuth", ":azimuth,plunge"),
    ("projective:2", "trend-plunge", "strike dip", "strike-dip"),
    ("projective:2", "trend-plunge", "Strike_RHR Dip", "strike-dip"),
    ("projective:2", "trend-plunge", "dip strike", "strike-dip:strike,dip"),
    ("projective:2", "trend-plunge", "dip azimuth", "dip-direction-dip:azimuth,dip"),
    ("projective:2", "trend-plunge", "azimuth dip", "dip-direction-dip"),
    ("projective:2", "trend-plunge", "dipDirection dip", "dip-direction-dip"),
    ("projective:2", "trend-plunge", "dip dip_dir", "dip-direction-dip:dip_dir,dip"),
    ("projective:2", "strike-dip", "strike dip", "ok"),
    ("projective:2", "strike-dip", "dip_direction dip", "dip-direction-dip"),
    ("projective:2", "strike-dip", "dip strike", ":strike,dip"),
    ("projective:2", "dip-direction-dip", "strike dip", "strike-dip"),
    ("projective:2", "dip-direction-dip", "DipAzimuth DipAngle", "ok"),
    ("projective:2", "latlon", "strike dip", "strike-dip"),
    ("projective:2", "latlon", "trend plunge", "trend-plunge"),
    ("projective:2", "trend-plunge", "dec inc", "ok"),
    ("projective:2", "trend-plunge", "lat lon", "latlon"),
    // rotations
    ("rotations:3", "quaternions", "w x y z", "ok"),
    ("rotations:3", "quaternions", "qw qx qy qz", "ok"),
    ("rotations:3", "quaternions", "qx qy qz qw", "quaternions-last"),
    ("rotations:3", "quaternions", "q_x q_y q_z q_w", "quaternions-last"),
    ("rotations:3", "quaternions", "field.pose.orientation.x field.pose.orientation.y field.pose.orientation.z \
      field.pose.orientation.w", "quaternions-last"),
    ("rotations:3", "quaternions", "rotX rotY rotZ rotW", "quaternions-last"),
    ("rotations:3", "quaternions", "qi qj qk qr", "quaternions-last"),
    ("rotations:3", "quaternions", "x y w z", ":w,x,y,z"),
    ("rotations:3", "quaternions", "q0 q1 q2 q3", "ok"),
    ("rotations:3", "quaternions", "q1 q2 q3 q0", "quaternions-last"),
    ("rotations:3", "quaternions", "q1 q2 q3 q4", "-"),
    ("rotations:3", "quaternions", "x0 x1 x2 x3", "-"),
    ("rotations:3", "quaternions-last", "w x y z", "quaternions"),
    ("rotations:3", "quaternions-last", "q_w q_x q_y q_z", "quaternions"),
    ("rotations:3", "quaternions-last", "q_RS_w [] q_RS_x [] q_RS_y [] q_RS_z []", "quaternions"),
    ("rotations:3", "quaternions-last", "x y z w", "ok"),
    ("rotations:3", "quaternions-last", "q0 q1 q2 q3", "quaternions"),
    ("rotations:3", "quaternions-last", "x0 x1 x2 x3", "-"),
    ("rotations:3", "rotation-vectors", "rx ry rz", "ok"),
    ("rotations:3", "rotation-vectors", "rz ry rx", ":rx,ry,rz"),
    ("rotations:3", "rotation-vectors", "roll pitch yaw", "?they are Euler angles"),
    ("rotations:3", "rotation-vectors", "yaw pitch roll", "?they are Euler angles"),
    ("rotations:3", "rotation-vectors", "euler_x euler_y euler_z", "?they are Euler angles"),
    ("rotations:3", "rotation-vectors", "rx_deg ry_deg rz_deg", "*0.017453292519943295"),
    ("rotations:3", "matrices", "r11 r12 r13 r21 r22 r23 r31 r32 r33", "ok"),
    ("rotations:3", "matrices", "R00 R01 R02 R10 R11 R12 R20 R21 R22", "ok"),
    ("rotations:3", "matrices", "r11 r21 r31 r12 r22 r32 r13 r23 r33", ":r11,r12,r13,r21,r22,r23,r31,r32,r33"),
    // hyperbolic space
    ("hyperbolic:2", "poincare", "klein_1 klein_2", "klein"),
    ("hyperbolic:2", "klein", "poincareX poincareY", "poincare"),
    ("hyperbolic:2", "poincare", "x y", "-"),
    ("hyperbolic:2", "vectors", "t x y", "ok"),
    ("hyperbolic:2", "vectors", "x y t", ":t,x,y"),
    ("hyperbolic:2", "vectors", "x0 x1 x2", "-"),
    // matrices
    ("spd-log-euclidean:3", "upper-row", "xx xy xz yy yz zz", "ok"),
    ("spd-log-euclidean:3", "upper-row", "Dxx Dxy Dxz Dyy Dyz Dzz", "ok"),
    ("spd-log-euclidean:3", "upper-row", "Dxx Dyy Dzz Dxy Dxz Dyz", "diagonal-first"),
    ("spd-log-euclidean:3", "upper-row", "Dxx Dxy Dyy Dxz Dyz Dzz", "upper-column"),
    ("spd-log-euclidean:3", "upper-row", "dxx dyx dyy dzx dzy dzz", "upper-column"),
    ("spd-log-euclidean:3", "diagonal-first", "xx yy zz yz xz xy", ":xx,yy,zz,xy,xz,yz"),
    ("spd-log-euclidean:3", "upper-row", "d11 d12 d13 d22 d23 d33", "ok"),
    ("spd-log-euclidean:3", "upper-column", "d_1_1 d_1_2 d_1_3 d_2_2 d_2_3 d_3_3", "upper-row"),
    ("spd-log-euclidean:2", "upper-row", "c[0,0] c[1,1] c[0,1]", "diagonal-first"),
    ("spd-affine-invariant:2", "full", "s11 s12 s21 s22", "ok"),
    ("spd-affine-invariant:2", "full", "s11 s22 s12 s21", ":s11,s21,s12,s22"),
    ("spd-log-euclidean:3", "correlation-upper-row", "r12 r13 r23", "ok"),
    ("spd-log-euclidean:4", "correlation-upper-row", "r12 r13 r23 r14 r24 r34", "correlation-upper-column"),
    ("spd-log-euclidean:3", "upper-row", "a b c d e f", "-"),
    ("spd-log-euclidean:3", "upper-row", "x1 x2 x3 x4 x5 x6", "-"),
    ("spd-log-euclidean:3", "upper-row", "V10 V11 V12 V13 V14 V15", "-"),
    ("grassmann:3,2", "bases", "y11 y12 y21 y22 y31 y32", "ok"),
    ("grassmann:3,2", "bases", "y11 y21 y31 y12 y22 y32", ":y11,y12,y21,y22,y31,y32"),
    // landmarks
    ("kendall:3", "interleaved", "x1 y1 x2 y2 x3 y3", "ok"),
    ("kendall:3", "interleaved", "X1 X2 X3 Y1 Y2 Y3", "blocked"),
    ("kendall:3", "blocked", "x1 y1 x2 y2 x3 y3", "interleaved"),
    ("kendall:3", "blocked", "X1 X2 X3 Y1 Y2 Y3", "ok"),
    ("kendall:3", "interleaved", "y1 x1 y2 x2 y3 x3", ":x1,y1,x2,y2,x3,y3"),
    ("kendall:3", "blocked", "nose_x nose_y left_eye_x left_eye_y mouth_x mouth_y", "interleaved"),
    ("kendall:3", "blocked", "noseX noseY eyeX eyeY mouthX mouthY", "interleaved"),
    ("kendall:3", "interleaved", "lm_1.X lm_2.X lm_3.X lm_1.Y lm_2.Y lm_3.Y", "blocked"),
    ("kendall:3", "interleaved", "x[0] x[1] x[2] y[0] y[1] y[2]", "blocked"),
    ("kendall:3", "interleaved", "x1 y1 z1 x2 y2 z2", "?choose two coordinates of each landmark"),
    ("kendall:4", "interleaved", "x1 y1 z1 x2 y2 z2", "?choose two coordinates of each landmark"),
    ("kendall:4", "blocked", "x1 y1 z1 x2 y2 z2", "?choose two coordinates of each landmark"),
    ("kendall:3", "interleaved", "a b c d e f", "-"),
    ("kendall:3", "interleaved", "v1 v2 v3 v4 v5 v6", "-"),
    // products
    ("sphere:2*euclidean:1", "latlon*vectors", "lat lon height", "ok"),
    ("sphere:2*euclidean:1", "latlon*vectors", "lon lat height", ":lat,lon,height"),
    ("sphere:2*euclidean:1", "latlon*vectors", "ra dec z", "ra-dec*vectors"),
    ("torus:1*euclidean:1", "degrees*vectors", "direction_rad log_speed", "vectors"),
    ("euclidean:3*rotations:3", "vectors", "tx ty tz qx qy qz qw", "vectors*quaternions-last"),
    ("euclidean:3*rotations:3", "vectors", "time tx ty tz qx qy qz", "?choose the column of w instead of tz"),
    ("torus:1*euclidean:1", "degrees*vectors", "hour temp", "*hour=15"),
    // strangers: quantities, and names unlike the others
    ("rotations:3", "quaternions", "tz qx qy qz", "?choose the column of w instead of tz"),
    ("rotations:3", "quaternions-last", "qx qy qz time", "?choose the column of w instead of time"),
    ("rotations:3", "quaternions", "x y z t", "?choose the column of w instead of t"),
    ("rotations:3", "quaternions", "a b c d", "-"),
    ("rotations:3", "quaternions", "x y depth note", "-"),
    ("rotations:3", "matrices", "r11 r12 r13 tx r21 r22 r23 ty r31", "?choose the entries 32 33 instead of tx, ty"),
    ("sphere:2", "latlon", "lon elevation", "?choose the column of latitude instead of elevation"),
    ("sphere:2", "latlon", "lon speed", "?choose the column of latitude instead of speed"),
    ("sphere:2", "latlon", "lat ele", "?choose the column of longitude instead of ele"),
    ("sphere:2", "latlon", "time lon", "?choose the column of latitude instead of time"),
    ("sphere:2", "declination-inclination", "mad dec", "?choose the column of inclination instead of mad"),
    ("sphere:2", "declination-inclination", "inc mad", "?choose the column of declination instead of mad"),
    ("sphere:2", "declination-inclination", "dec mad", "?choose the column of inclination instead of mad"),
    ("sphere:2", "ra-dec", "ra parallax", "?choose the column of declination instead of parallax"),
    ("projective:2", "strike-dip", "dip id", "?choose the column of strike instead of id"),
    ("sphere:2", "vectors", "x y speed", "?choose the column of z instead of speed"),
    ("sphere:2", "vectors", "x y label_a", "?choose the column of z instead of label_a"),
    ("sphere:2", "vectors", "x y note", "-"),
    ("kendall:3", "interleaved", "y1 x2 y2 x3 y3 C_size", "?choose coordinates of landmarks instead of C_size"),
    ("kendall:3", "interleaved", "y01 x02 y02 x03 y03 x04", "?choose all coordinates of each landmark"),
    ("kendall:3", "interleaved", "x1 x2 x3 x4 x5 size", "-"),
    ("kendall:3", "interleaved", "x1 y1 a b c d", "-"),
    ("spd-log-euclidean:3", "upper-row", "Dxx Dxy Dxz Dyy Dyz FA", "?choose the entry 33 instead of FA"),
    ("spd-log-euclidean:3", "upper-row", "V8 V9 V10 V11 V12 V13", "-"),
    ("spd-log-euclidean:2", "full", "V9 V10 V11 V12", "-"),
    // errors, deviations and rates
    ("sphere:2", "latlon", "lat_err lon_err", ITSELF),
    ("sphere:2", "latlon", "latitude_rate longitude_rate", ITSELF),
    ("sphere:2", "latlon", "lat lon_std", ITSELF),
    ("sphere:2", "latlon", "latStdev lonStdev", ITSELF),
    ("sphere:2", "latlon", "lat_sem lon_sem", ITSELF),
    ("sphere:2", "latlon", "lat_unc lon_unc", ITSELF),
    ("sphere:2", "latlon", "lat_sigma lon", ITSELF),
    ("sphere:2", "latlon", "vlat vlon", ITSELF),
    ("sphere:2", "latlon", "dlat dlon", ITSELF),
    ("sphere:2", "latlon", "lat_vel lon_vel", ITSELF),
    ("sphere:2", "latlon", "lat_acc lon_acc", ITSELF),
    ("sphere:2", "ra-dec", "e_RAdeg e_DEdeg", ITSELF),
    ("sphere:2", "ra-dec", "pmRA pmDE", ITSELF),
    ("sphere:2", "ra-dec", "pmra pmdec", ITSELF),
    ("sphere:2", "ra-dec", "ra_error dec_error", ITSELF),
    ("sphere:2", "declination-inclination", "declination inclination_sd", ITSELF),
    ("sphere:2", "vectors", "std_x std_y std_z", ITSELF),
    ("projective:2", "strike-dip", "strike dip_err", ITSELF),
    ("rotations:3", "quaternions", "qw_std qx_std qy_std qz_std", ITSELF),
    ("sphere:2", "latlon", "lat err", "?choose the column of longitude instead of err"),
    ("sphere:2", "ra-dec", "HA Dec", "?choose the column of right ascension instead of HA"),
    ("sphere:2", "latlon", "latency lon", "?choose the column of latitude instead of latency"),
    ("sphere:2", "latlon", "latency longevity", "-"),
    // parts of sexagesimal numbers
    ("sphere:2", "ra-dec", "RAm DEm", DECIMAL),
    ("sphere:2", "ra-dec", "RAs DEs", DECIMAL),
    ("sphere:2", "ra-dec", "RAh DEm", DECIMAL),
    ("sphere:2", "latlon", "lat_min lon_min", DECIMAL),
    ("sphere:2", "latlon", "lat_deg lat_min", DECIMAL),
    ("sphere:2", "latlon", "lat_minutes lon_minutes", DECIMAL),
    ("sphere:2", "latlon", "lat_dms lon_dms", DECIMAL),
    ("sphere:2", "latlon", "lat_ddmm lon_ddmm", DECIMAL),
    ("sphere:2", "latlon", "lat NS", DECIMAL),
    ("sphere:2", "latlon", "NS EW", DECIMAL),
    ("sphere:2", "ra-dec", "DE- DEd", DECIMAL),
    ("sphere:2", "latlon-radians", "lat_dms lon_dms", DECIMAL),
    ("sphere:2", "ra-dec", "RAd DEd", "ok"),
    ("sphere:2", "ra-dec", "RAh DEdeg", "*RAh=15"),
    // other units
    ("sphere:2", "latlon", "lat_gon lon_gon", "*0.9"),
    ("sphere:2", "latlon", "lat_grad lon_grad", DEGREES),
    ("sphere:2", "latlon-radians", "lat_grad lon_grad", RADIANS),
    ("sphere:2", "ra-dec", "ra_mas dec_mas", "*0.00000027777777777777776"),
    ("sphere:2", "latlon", "lat_arcmin lon_arcmin", "*0.016666666666666666"),
    ("sphere:2", "latlon", "latitudeE7 longitudeE7", "*0.0000001"),
    ("sphere:2", "latlon", "lat_x100 lon_x100", "*0.01"),
    ("sphere:2", "latlon", "lat_turns lon_turns", "*360"),
    ("sphere:2", "declination-inclination", "X_nT Y_nT", DEGREES),
    ("sphere:2", "declination-inclination", "X_mT Y_mT", DEGREES),
    ("sphere:2", "latlon", "x_km y_km", DEGREES),
    ("torus:2", "degrees", "phi_gon psi_gon", "*0.9"),
    ("sphere:1", "degrees", "angle_turns", "*360"),
    ("sphere:1", "degrees", "turns", "*360"),
    ("torus:1", "degrees", "speed", DEGREES),
    ("torus:1", "degrees", "month", "*30"),
    ("torus:1", "degrees", "weekday", "*51.42857142857143"),
    ("torus:1", "degrees", "minute", DEGREES),
    ("torus:1", "degrees", "day", DEGREES),
    ("torus:1", "degrees", "time", DEGREES),
    ("torus:1", "degrees", "bfactor", DEGREES),
    ("torus:1", "degrees", "B_factor", DEGREES),
    ("torus:1", "degrees", "wind_speed", DEGREES),
    ("sphere:1", "degrees", "weekday", "*51.42857142857143"),
    ("sphere:1", "radians", "month", "*0.5235987755982988"),
    ("torus:2", "degrees", "hour weekday", "*hour=15*weekday=51.42857142857143"),
    ("torus:2", "degrees", "hour minute", DEGREES),
    ("torus:1", "degrees", "hour", "*15"),
    ("torus:1", "degrees", "wind_dir", "-"),
    ("torus:1", "degrees", "day_angle", "-"),
    ("torus:1", "degrees", "error", "-"),
    ("torus:1", "degrees", "time_deg", "-"),
    // numbers of several things
    ("projective:2", "strike-dip", "strike rake", "?choose the column of dip instead of rake"),
    ("projective:2", "strike-dip", "strike slip", "?choose the column of dip instead of slip"),
    ("projective:2", "strike-dip", "strike dip_dir", "?choose the column of dip instead of dip_dir"),
    ("projective:2", "strike-dip", "strike trend", "?choose the column of dip instead of trend"),
    ("projective:2", "trend-plunge", "T_azimuth P_plunge", "?choose columns of one point instead of T_azimuth, P_plunge"),
    ("projective:2", "strike-dip", "strike1 dip2", "?choose columns of one point instead of strike1, dip2"),
    ("sphere:2", "vectors", "acc_x acc_y gyro_z", "?choose columns of one point instead of acc_x, acc_y, gyro_z"),
    ("sphere:2", "latlon", "pickup_lat dropoff_lon", "?choose columns of one point instead of pickup_lat, dropoff_lon"),
    ("projective:2", "trend-plunge", "T_azimuth T_plunge", "ok"),
    ("projective:2", "strike-dip", "strike1 dip1", "ok"),
    ("sphere:2", "latlon", "lat_n lon_e", "ok"),
    ("sphere:2", "latlon", "y_lat x_lon", "ok"),
    ("sphere:2", "vectors", "e_x e_y e_z", "ok"),
    ("sphere:2", "latlon", "Lat_deg Lon_deg", "ok"),
    ("sphere:2", "ra-dec", "RAdeg DEdeg", "ok"),
    ("sphere:2", "declination-inclination", "D I", "ok"),
    ("sphere:2", "latlon", "position_lat position_long", "ok"),
    // rotations in other numbers
    ("rotations:3", "quaternions", "xyzw_0 xyzw_1 xyzw_2 xyzw_3", "quaternions-last"),
    ("rotations:3", "quaternions-last", "xyzw_0 xyzw_1 xyzw_2 xyzw_3", "ok"),
    ("rotations:3", "quaternions", "Quat1 Quat2 Quat3 Quat0", "?choose the columns in the order of their numbers"),
    ("rotations:3", "quaternions", "Quat0 Quat1 Quat2 Quat3", "-"),
    ("rotations:3", "quaternions", "q0 q1 q2 q4", "?choose the column of z instead of q4"),
    ("rotations:3", "rotation-vectors", "heading elevation bank", EULER),
    ("rotations:3", "rotation-vectors", "azimuth elevation roll", EULER),
    ("rotations:3", "rotation-vectors", "pan tilt roll", EULER),
    ("rotations:3", "rotation-vectors", "strike dip rake", EULER),
    ("rotations:3", "rotation-vectors", "heading pitch roll", EULER),
    ("rotations:3", "rotation-vectors", "alpha beta gamma", EULER),
    ("rotations:3", "rotation-vectors", "pos_x pos_y pos_z", ITSELF),
    ("rotations:3", "rotation-vectors", "gyro_x gyro_y gyro_z", ITSELF),
    ("rotations:3", "rotation-vectors", "acc_x acc_y acc_z", ITSELF),
    ("rotations:3", "rotation-vectors", "vel_x vel_y vel_z", ITSELF),
    ("euclidean:3*rotations:3", "vectors*rotation-vectors", "pos_x pos_y pos_z rx ry rz", "ok"),
    // axes of other letters
    ("spd-log-euclidean:3", "upper-row", "Mrr Mtt Mpp Mrt Mrp Mtp", "diagonal-first"),
    ("spd-log-euclidean:3", "diagonal-first", "Mrr Mtt Mpp Mrt Mrp Mtp", "ok"),
    ("spd-log-euclidean:3", "upper-row", "ball free class a b c", "-"),
    ("spd-log-euclidean:3", "upper-row", "sigma_xx sigma_xy sigma_xz sigma_yy sigma_yz sigma_zz", "ok"),
    // zenith angles, colatitudes, and the two angles of mathematics and physics
    ("sphere:2", "elevation-azimuth", "solar_zenith solar_azimuth", "colatitude-longitude"),
    ("sphere:2", "latlon", "solar_zenith solar_azimuth", "colatitude-longitude"),
    ("sphere:2", "ra-dec", "solar_azimuth solar_zenith", "colatitude-longitude:solar_zenith,solar_azimuth"),
    ("sphere:2", "declination-inclination", "azimuth zenithAngle", "colatitude-longitude:zenithAngle,azimuth"),
    ("sphere:2", "elevation-azimuth", "SZA SAA", "colatitude-longitude"),
    ("sphere:2", "elevation-azimuth", "sza(deg) saa(deg)", "colatitude-longitude"),
    ("sphere:2", "elevation-azimuth", "SolarZenithAngle [rad] SolarAzimuthAngle [rad]", "colatitude-longitude-radians"),
    ("sphere:2", "latlon-radians", "zenith_rad azimuth_rad", "colatitude-longitude-radians"),
    ("sphere:2", "latlon-radians", "zenith_deg azimuth_deg", "colatitude-longitude"),
    ("sphere:2", "elevation-azimuth", "incidence_angle azimuth", "colatitude-longitude"),
    ("sphere:2", "elevation-azimuth", "polar azimuthal", "colatitude-longitude"),
    ("sphere:2", "elevation-azimuth", "zenith.distance az", "colatitude-longitude"),
    ("sphere:2", "elevation-azimuth", "zenith station", "colatitude-longitude"),
    ("sphere:2", "elevation-azimuth", "theta phi", "colatitude-longitude"),
    ("sphere:2", "ra-dec", "theta phi", "colatitude-longitude"),
    ("sphere:2", "declination-inclination", "theta_deg phi_deg", "colatitude-longitude"),
    ("sphere:2", "latlon", "phi theta", "colatitude-longitude:theta,phi"),
    ("sphere:2", "latlon", "θ φ", "colatitude-longitude"),
    ("sphere:2", "latlon", "theta lon", "colatitude-longitude"),
    ("sphere:2", "ra-dec", "ra npd", "colatitude-longitude:npd,ra"),
    ("projective:2", "trend-plunge", "theta phi", "colatitude-longitude"),
    ("projective:2", "trend-plunge", "azimuth zenith", "colatitude-longitude:zenith,azimuth"),
    ("projective:2", "dip-direction-dip", "theta phi", "colatitude-longitude"),
    ("sphere:2", "colatitude-longitude", "theta phi", "ok"),
    ("sphere:2", "colatitude-longitude", "colat lon", "ok"),
    ("sphere:2", "colatitude-longitude", "phi theta", ":theta,phi"),
    ("sphere:2", "colatitude-longitude", "lat lon", "latlon"),
    ("sphere:2", "colatitude-longitude", "elevation azimuth", "elevation-azimuth"),
    ("sphere:2", "colatitude-longitude", "lon colat", ":colat,lon"),
    ("sphere:2", "colatitude-longitude", "theta_rad phi_rad", "colatitude-longitude-radians"),
    ("sphere:2", "colatitude-longitude", "a b", "-"),
    ("sphere:2", "elevation-azimuth", "elevation azimuth", "ok"),
    ("torus:2", "degrees", "theta phi", "-"),
    // poses by symbols
    ("poses:3", "tum", "x y z qx qy qz qw", "ok"),
    ("poses:3", "tum", "x y z qw qx qy qz", "quaternions"),
    ("poses:3", "tum", "x y z q0 q1 q2 q3", "quaternions"),
    ("poses:3", "tum", "a b c q0 q1 q2 q3", "quaternions"),
    ("poses:3", "tum", "tx ty tz q0 q1 q2 q3", "quaternions"),
    ("poses:3", "tum", "x y z w i j k", "quaternions"),
    ("poses:3", "quaternions", "x y z i j k w", "tum"),
    ("poses:3", "tum", "p_RS_R_x [m] p_RS_R_y [m] p_RS_R_z [m] q_RS_w [] q_RS_x [] q_RS_y [] q_RS_z []", "quaternions"),
    ("poses:3", "tum", "pose.position.x pose.position.y pose.position.z pose.orientation.w pose.orientation.x \
      pose.orientation.y pose.orientation.z", "quaternions"),
    ("poses:3", "tum", "pose.position.x pose.position.y pose.position.z pose.orientation.x pose.orientation.y \
      pose.orientation.z pose.orientation.w", "ok"),
    ("poses:3", "tum", "rotation_w rotation_x rotation_y rotation_z translation_x translation_y translation_z", "vectors"),
    ("poses:3", "tum", "rotation_x rotation_y rotation_z rotation_w translation_x translation_y translation_z",
      ":translation_x,translation_y,translation_z,rotation_x,rotation_y,rotation_z,rotation_w"),
    ("poses:3", "tum", "PositionX PositionY PositionZ QuatW QuatX QuatY QuatZ", "quaternions"),
    ("poses:3", "tum", "POS_X POS_Y POS_Z Q_W Q_X Q_Y Q_Z", "quaternions"),
    ("poses:3", "vectors", "x y z qx qy qz qw", "tum"),
    ("poses:3", "vectors", "qw qx qy qz x y z", "ok"),
    ("poses:3", "tum", "z y x qx qy qz qw", ":x,y,z,qx,qy,qz,qw"),
    ("poses:3", "tum", "x y z qx qy qz time", "?choose the column of qw instead of time"),
    ("poses:3", "tum", "a b c d e f g", "-"),
    ("poses:3", "tum", "v1 v2 v3 v4 v5 v6 v7", "-"),
    // lists
    ("rotations:3", "quaternions", "quat_xyzw[0] quat_xyzw[1] quat_xyzw[2] quat_xyzw[3]", "quaternions-last"),
    ("rotations:3", "quaternions-last", "orientationWXYZ[0] orientationWXYZ[1] orientationWXYZ[2] orientationWXYZ[3]",
      "quaternions"),
    ("rotations:3", "quaternions-last", "quat_xyzw[0] quat_xyzw[1] quat_xyzw[2] quat_xyzw[3]", "ok"),
    ("rotations:3", "quaternions", "rotation[0] rotation[1] rotation[2] rotation[3]", "-"),
    ("rotations:3", "rotation-vectors", "euler[0] euler[1] euler[2]", EULER),
    ("rotations:3", "rotation-vectors", "rpy[0] rpy[1] rpy[2]", EULER),
    ("rotations:3", "rotation-vectors", "eulerAngles[0] eulerAngles[1] eulerAngles[2]", EULER),
    ("rotations:3", "rotation-vectors", "rotvec[0] rotvec[1] rotvec[2]", "-"),
    ("poses:3", "tum", "pose_xyz_wxyz[0] pose_xyz_wxyz[1] pose_xyz_wxyz[2] pose_xyz_wxyz[3] pose_xyz_wxyz[4] \
      pose_xyz_wxyz[5] pose_xyz_wxyz[6]", "quaternions"),
    ("sphere:2", "latlon", "lonlat[0] lonlat[1]", ":lonlat[1],lonlat[0]"),
    ("sphere:2", "latlon", "lonlat[1] lonlat[0]", "ok"),
    ("sphere:2", "latlon", "latlon[0] latlon[1]", "ok"),
    ("sphere:2", "latlon", "pickupLngLat[0] pickupLngLat[1]", ":pickupLngLat[1],pickupLngLat[0]"),
    ("sphere:2", "latlon", "lon_lat[0] lon_lat[1]", ":lon_lat[1],lon_lat[0]"),
    ("sphere:2", "latlon", "coordinates[0] coordinates[1]", ":coordinates[1],coordinates[0]"),
    ("sphere:2", "latlon", "geometry.coordinates[0] geometry.coordinates[1]",
      ":geometry.coordinates[1],geometry.coordinates[0]"),
    ("sphere:2", "latlon", "xy[0] xy[1]", ":xy[1],xy[0]"),
    ("sphere:2", "latlon", "radec[0] radec[1]", "ra-dec"),
    ("sphere:2", "elevation-azimuth", "azel[0] azel[1]", ":azel[1],azel[0]"),
    ("sphere:2", "elevation-azimuth", "altaz[0] altaz[1]", "ok"),
    ("sphere:2", "latlon", "thetaphi[0] thetaphi[1]", "colatitude-longitude"),
    ("projective:2", "trend-plunge", "strike_dip[0] strike_dip[1]", "strike-dip"),
    ("sphere:2", "ra-dec", "coordinates[0] coordinates[1]", "-"),
    ("spd-log-euclidean:2", "upper-row", "cov_xx_yy_xy[0] cov_xx_yy_xy[1] cov_xx_yy_xy[2]", "diagonal-first"),
    ("sphere:2", "latlon", "family[0] family[1]", "-"),
    ("sphere:2", "latlon", "point[0] point[1]", "-"),
    ("sphere:2", "latlon", "location[0] location[1]", "-"),
    ("sphere:2", "latlon", "daily_1 daily_2", "-"),
    ("sphere:2", "latlon", "id1 id2", "-"),
    // units before the meaning
    ("torus:1", "degrees", "hour_utc", "*15"),
    ("torus:1", "degrees", "HourLocal", "*15"),
    ("torus:1", "degrees", "hour.of.day", "*15"),
    ("torus:1", "degrees", "Hour (UTC)", "*15"),
    ("torus:1", "degrees", "pickup_hour_utc", "*15"),
    ("torus:1", "degrees", "hour24", "*15"),
    ("torus:1", "radians", "hour_utc", "*0.2617993877991494"),
    ("torus:1", "degrees", "hours_since_midnight", "*15"),
    ("torus:1", "degrees", "time (hours)", "*15"),
    ("torus:1", "degrees", "doy", "*0.9856262833675564"),
    ("torus:1", "degrees", "dayofyear", "*0.9856262833675564"),
    ("torus:1", "degrees", "day_of_year", "*0.9856262833675564"),
    ("torus:1", "degrees", "month_num", "*30"),
    ("torus:1", "degrees", "day_of_week", "*51.42857142857143"),
    ("torus:1", "degrees", "day_of_month", DEGREES),
    ("torus:1", "degrees", "minute_of_hour", DEGREES),
    ("torus:1", "degrees", "minutes_since_midnight", DEGREES),
    ("torus:1", "degrees", "time_of_day", DEGREES),
    ("torus:1", "degrees", "hhmm", DEGREES),
    ("torus:1", "degrees", "hour_angle", "-"),
    ("torus:1", "degrees", "hour_deg", "-"),
    ("torus:1", "degrees", "month_angle", "-"),
    ("torus:1", "degrees", "utc", "-"),
    ("sphere:2", "latlon", "month_lat month_lon", "ok"),
    // directions that count the other way
    ("sphere:2", "latlon", "lat lon_w", "*lon_w=-1"),
    ("sphere:2", "latlon", "Latitude (°N) Longitude (°W)", "*Longitude (°W)=-1"),
    ("sphere:2", "latlon", "lat_s lon_w", "*-1"),
    ("sphere:2", "latlon", "lat lon_degrees_west", "*lon_degrees_west=-1"),
    ("sphere:2", "latlon", "lat lon_e", "ok"),
    ("sphere:2", "latlon", "west_lat west_lon", "ok"),
    // strikes by the left-hand rule
    ("projective:2", "strike-dip", "Strike_LHR Dip", "?add 180 degrees to the strikes"),
    ("projective:2", "strike-dip", "strike (left-hand) dip", "?add 180 degrees to the strikes"),
    ("projective:2", "strike-dip", "strikeLeftHand dip", "?add 180 degrees to the strikes"),
    ("projective:2", "strike-dip", "Strike_RHR Dip", "ok"),
    ("projective:2", "strike-dip", "strike_rhr dip", "ok"),
    // landmarks in the plane
    ("landmarks:4,3", "interleaved", "x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6", "?choose three coordinates of each landmark"),
    ("size-and-shape:4,3", "blocked", "X1 X2 X3 X4 X5 X6 Y1 Y2 Y3 Y4 Y5 Y6", "?choose three coordinates of each landmark"),
    ("landmarks:4,3", "interleaved", "x1 y1 z1 x2 y2 z2 x3 y3 z3 x4 y4 z4", "ok"),
    ("landmarks:4,2", "interleaved", "x1 y1 x2 y2 x3 y3 x4 y4", "ok"),
    // parts of a composition
    ("simplex-aitchison:4", "proportions", "SIO2(WT%) AL2O3(WT%) SR(PPM) BA(PPM)", "*SR(PPM)=0.0001*BA(PPM)=0.0001"),
    ("simplex-aitchison:3", "percent", "SiO2_pct Sr_ppm Au_ppb", "*Sr_ppm=0.0001*Au_ppb=0.0000001"),
    ("simplex-fisher-rao:3", "proportions", "SiO2 [wt%] Sr [µg/g] Ba [mg/kg]", "*Sr [µg/g]=0.0001*Ba [mg/kg]=0.0001"),
    ("simplex-aitchison:2", "proportions", "Ca_mg/l Fe_ug/l", "*Fe_ug/l=0.001"),
    ("simplex-aitchison:2", "proportions", "CaMgL NaMmolL", "?convert all parts to one unit"),
    ("simplex-aitchison:2", "proportions", "Ca_mg_L Na_mmol_L", "?convert all parts to one unit"),
    ("simplex-aitchison:2", "proportions", "SiO2_wt% FeO_mol%", "?convert all parts to one unit"),
    ("simplex-aitchison:3", "proportions", "SiO2 Al2O3 Sr_ppm", "?convert all parts to one unit"),
    ("simplex-aitchison:2", "proportions", "sleep_hours active_minutes", "*active_minutes=0.016666666666666666"),
    ("simplex-aitchison:3", "proportions", "clay silt total", "?choose the parts alone instead of total"),
    ("simplex-aitchison:3", "percent", "Clay (%) Silt (%) Sum (%)", "?choose the parts alone instead of Sum (%)"),
    ("simplex-aitchison:3", "proportions", "clay silt sand", "-"),
    ("simplex-aitchison:3", "proportions", "clay_pct silt_pct sand", "-"),
    ("simplex-aitchison:3", "proportions", "SiO2(WT%) Al2O3(WT%) Total_Fe(WT%)", "-"),
    ("simplex-aitchison:3", "proportions", "Sr_ppm Ba_ppm Rb_ppm", "-"),
    ("simplex-aitchison:3", "proportions", "Mg Ca Na", "-"),
    ("simplex-aitchison:2", "proportions", "minor summer", "-"),
    ("simplex-aitchison:3", "proportions", "TotalN total_organic_carbon P", "-"),
];

#[test]
fn names_say_what_people_mean_by_them() {
    assert!(TABLE.len() > 60);
    let mut wrong = vec![];
    for (space, layout, names, expected) in TABLE {
        // names with brackets or a unit behind a space are one column
        let mut columns: Vec<String> = vec![];
        for word in names.split_whitespace() {
            match columns.last_mut().filter(|_| word.starts_with(['(', '['])) {
                Some(last) => *last = format!("{last} {word}"),
                None => columns.push(word.to_owned()),
            }
        }
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let found = told(&check(space, layout, &columns), &columns);
        let is_right = if expected.starts_with('?') { found.starts_with(expected) } else { found == *expected };
        if !is_right {
            wrong.push(format!("{space} --layout {layout} of {names}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Space, layout, all columns of a table with `;` between them, those that are read, and the verdict.
#[rustfmt::skip]
const WITH_OTHER_COLUMNS: &[(&str, &str, &str, &str)] = &[
    ("latlon", "Latitude;N/S;Longitude;E/W", "Latitude Longitude", "?make southern and western numbers negative, and drop N/S, E/W"),
    ("latlon", "GPSLatitude;GPSLatitudeRef;GPSLongitude;GPSLongitudeRef", "GPSLatitude GPSLongitude", "?make southern"),
    ("latlon", "lat;lat_hemi;lon;lon_hemi", "lat lon", "?make southern"),
    ("latlon", "lat;latDir;lon;lonDir", "lat lon", "?make southern"),
    ("latlon", "lat;NS;lon;EW", "lat lon", "?make southern"),
    ("latlon", "time;lat;ns;lon;ew;speed", "lat lon", "?make southern"),
    ("latlon", "latitude;ns_indicator;longitude;ew_indicator", "latitude longitude", "?make southern"),
    ("latlon", "lat;lat_NS;lon;lon_EW", "lat lon", "?make southern"),
    ("latlon", "Lat;Lat Hemisphere;Lon;Lon Hemisphere", "Lat Lon", "?make southern"),
    ("latlon", "lat;lon;hemisphere", "lat lon", "?make southern"),
    ("latlon", "lat;north/south;lon;east/west", "lat lon", "?make southern"),
    ("latlon", "lat_deg;lat_min;lon_deg;lon_min", "lat_deg lon_deg", "?convert to decimal degrees with a sign, and drop lat_min"),
    ("latlon", "lat_d;lat_min;lat_sec;lon_d;lon_min;lon_sec", "lat_d lon_d", "?convert to decimal"),
    ("ra-dec", "RAdeg;DE-;DEd", "RAdeg DEd", "?make southern"),
    ("ra-dec", "RAJ2000;DEJ2000;RAh;RAm;RAs;DE-;DEd;DEm;DEs", "RAJ2000 DEJ2000", "ok"),
    ("latlon", "decimalLatitude;decimalLongitude;verbatimLatitude;hemisphere", "decimalLatitude decimalLongitude", "ok"),
    ("latlon", "lat_raw;N/S;lon_raw;E/W;lat;lon", "lat lon", "ok"),
    ("latlon", "latitude;longitude;lat_deg;lat_min;lat_ns;lon_deg;lon_min;lon_ew", "latitude longitude", "ok"),
    ("latlon", "start_lat;start_lon;end_lat;end_lat_dir;end_lon;end_lon_dir", "start_lat start_lon", "ok"),
    ("latlon", "start_lat;start_lon;end_lat;end_lat_dir;end_lon;end_lon_dir", "end_lat end_lon", "?make southern"),
    // columns that say nothing about the sign
    ("latlon", "time_ns;lat;lon", "lat lon", "ok"),
    ("latlon", "latitude(deg);longitude(deg);height(m);Q;ns;sdn(m)", "latitude(deg) longitude(deg)", "ok"),
    ("ra-dec", "ra;dec;EW;EW_err", "ra dec", "ok"),
    ("latlon", "lat;lon;lat_min;lat_max;lon_min;lon_max", "lat lon", "ok"),
    ("latlon", "lat;lon;ref_lat;ref_lon", "lat lon", "ok"),
    ("latlon", "lat;lon;direction;heading;N;S;E;W", "lat lon", "ok"),
    ("latlon", "lat;lon;wind_dir;sign;quadrant;reference;letter", "lat lon", "ok"),
    ("latlon", "lat;lon;lat_err;lon_err;lat_flag", "lat lon", "ok"),
    ("latlon", "site;lat;lon;elev;N;k;a95", "lat lon", "ok"),
    ("latlon", "north;south;lat;lon", "lat lon", "ok"),
    ("latlon", "lat_north;lat_south;lon_west;lon_east", "lat_south lon_west", "ok"),
    ("latlon", "lat_south;lon_west", "lat_south lon_west", "*-1"),
    ("elevation-azimuth", "elevation;azimuth;N/S;hemisphere", "elevation azimuth", "ok"),
];

#[test]
fn columns_next_to_the_chosen_ones_say_their_signs() {
    let mut wrong = vec![];
    for (layout, all, names, expected) in WITH_OTHER_COLUMNS {
        let (layouts, names): (_, Vec<&str>) = (layouts("sphere:2"), names.split(' ').collect());
        let all: Vec<String> = all.split(';').map(str::to_owned).collect();
        let chosen = layouts.iter().find(|known| known.name() == *layout).unwrap().clone().among(all.clone());
        let found = told(&chosen.check_names(&layouts, &names), &names);
        let is_right = if expected.starts_with('?') { found.starts_with(expected) } else { found == *expected };
        if !is_right {
            wrong.push(format!("{layout} of {names:?} among {all:?}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_quadrant_of_the_dip_is_seen_next_to_a_strike() {
    let layouts = layouts("projective:2");
    let strikes = layouts.iter().find(|known| known.name() == "strike-dip").unwrap();
    let told = |all: &[&str]| {
        let all = all.iter().map(|name| (*name).to_owned()).collect();
        self::told(&strikes.clone().among(all).check_names(&layouts, &["strike", "dip"]), &[])
    };
    assert!(told(&["strike", "dip", "dip_quadrant"]).starts_with("?turn each strike"));
    assert_eq!(told(&["strike", "dip", "dip_dir", "rake"]), "ok");
}

/// A column that is multiplied may be in any unit, so that following the advice leads to silence or agreement.
#[test]
fn the_advice_on_units_is_right() {
    let mut followed = 0;
    for (space, layout, names, _) in TABLE.iter().filter(|row| row.3.contains('*') && !row.2.contains(['[', '('])) {
        let names: Vec<&str> = names.split_whitespace().collect();
        let layouts = layouts(space);
        let Verdict::Contradiction(found) = check(space, layout, &names) else { panic!("{names:?}") };
        let chosen = found.layout.as_deref().unwrap_or(layout);
        let chosen = layouts.iter().find(|known| known.name() == chosen).unwrap().clone();
        let ordered = found.ordered(&names).unwrap_or_else(|| names.clone());
        let place = |name: &str| ordered.iter().position(|other| *other == name).unwrap();
        let multiplied = found.factors.iter().map(|(i, _)| place(names[*i])).collect();
        let verdict = chosen.in_any_unit(multiplied).check_names(&layouts, &ordered);
        assert!(!matches!(verdict, Verdict::Contradiction(_)), "{space} {layout} {names:?}: {verdict:?}");
        followed += 1;
    }
    assert!(followed > 30, "{followed}");
}

#[test]
fn another_number_of_names_says_nothing_here() {
    assert_eq!(check("sphere:2", "latlon", &["lon", "lat", "height"]), Verdict::Silence);
    assert_eq!(check("sphere:2", "latlon", &[]), Verdict::Silence);
}

#[test]
fn one_euler_angle_is_none_of_a_rotation() {
    let names = ["heading", "rx", "ry", "rz"];
    assert_eq!(check("torus:1*rotations:3", "degrees*rotation-vectors", &names), Verdict::Agreement);
}

#[test]
fn what_a_layout_takes_is_said() {
    for (space, layout, names, takes) in [
        ("sphere:2", "latlon", "lon lat", "latitude, longitude in degrees"),
        ("kendall:3", "blocked", "x1 y1 x2 y2 x3 y3", "x1, x2, …, y1, y2, …"),
        ("spd-log-euclidean:2", "upper-row", "xx yy xy", "the entries 11 12 22"),
        ("torus:1", "radians", "phi_deg", "angles in radians"),
    ] {
        let names: Vec<&str> = names.split(' ').collect();
        let Verdict::Contradiction(found) = check(space, layout, &names) else { panic!("{names:?}") };
        assert_eq!(found.takes, takes);
    }
}

#[test]
fn arrays_of_another_shape_are_no_records() {
    let check = |space: &str, layout: &str, axes: &[usize]| {
        let layouts = layouts(space);
        let chosen = layouts.iter().find(|known| known.name() == layout).unwrap();
        told(&chosen.check_array(&layouts, axes), &[])
    };
    let size = "?choose the size of the space by the shape of a record";
    for (space, layout, axes, expected) in [
        ("kendall:12", "interleaved", &[12, 2][..], "ok"),
        ("kendall:12", "interleaved", &[2, 12], "blocked"),
        ("kendall:12", "blocked", &[12, 2], "interleaved"),
        ("kendall:12", "blocked", &[2, 12], "ok"),
        ("kendall:12", "interleaved", &[8, 3], size),
        ("kendall:12", "interleaved", &[3, 8], size),
        ("kendall:12", "interleaved", &[24], "-"),
        ("kendall:12", "interleaved", &[24, 1], "-"),
        ("spd-log-euclidean:4", "full", &[4, 4], "ok"),
        ("spd-log-euclidean:4", "full", &[2, 8], size),
        ("rotations:3", "matrices", &[3, 3], "ok"),
        ("grassmann:4,2", "bases", &[2, 4], size),
        ("grassmann:4,1", "bases", &[4], "-"),
        ("sphere:3", "vectors", &[2, 2], "-"),
        ("euclidean:6", "vectors", &[2, 3], "-"),
    ] {
        assert_eq!(check(space, layout, axes), expected, "{space} {layout} {axes:?}");
    }
}

/// Spaces, layouts and names that agree with them.
fn agreeing() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let rows = TABLE.iter().filter(|(_, _, names, verdict)| *verdict == "ok" && !names.contains(['[', '(']));
    let rows = rows.filter(|(space, ..)| *space != "poses:3"); // whose symbols say nothing in another order

    rows.map(|(space, layout, names, _)| (*space, *layout, names.split_whitespace().collect())).collect()
}

#[test]
fn what_a_layout_calls_its_numbers_agrees_with_it() {
    for space in ["sphere:1", "sphere:2", "projective:2", "rotations:3", "sphere:2*rotations:3"] {
        let layouts = layouts(space);
        for layout in layouts.iter().filter(|layout| !layout.column_names().is_empty() && layout.numbers() > 1) {
            let verdict = layout.check_names(&layouts, layout.column_names());
            assert_eq!(verdict, Verdict::Agreement, "{space} {layout:?}: {:?}", layout.column_names());
        }
    }
}

proptest! {
    /// Whatever the order of names that agree with a layout: they contradict it, or are in an order that is the same,
    /// and the advice leads to agreement.
    #[test]
    fn permuted_names_are_refused_with_advice_that_is_right(
        (space, layout, names) in select(agreeing()), order in proptest::collection::vec(any::<Index>(), 9),
    ) {
        let mut left = names.clone();
        let permuted: Vec<&str> =
            (0..names.len()).map(|i| left.swap_remove(order[i % order.len()].index(left.len()))).collect();
        match check(space, layout, &permuted) {
            Verdict::Silence => prop_assert!(false, "{permuted:?} say nothing"),
            // a matrix is symmetric, landmarks may be in any order, a height is anything
            Verdict::Agreement => prop_assert!(
                permuted == names || space.starts_with("spd") || space.starts_with("kendall") || space.starts_with("landmarks")
                    || space.contains('*')
                    || names.contains(&"station"),
                "{permuted:?}"
            ),
            Verdict::Contradiction(found) => {
                let layout = found.layout.as_deref().unwrap_or(layout);
                let ordered = found.ordered(&permuted).unwrap_or_else(|| permuted.clone());
                // a name of a height or a station may be anything, so that no order need be found
                if found.layout.is_some() || found.order.is_some() {
                    prop_assert_eq!(check(space, layout, &ordered), Verdict::Agreement, "{:?}", ordered);
                } else {
                    prop_assert!(space.contains('*') || names.contains(&"station"), "{permuted:?}");
                }
            }
        }
    }

    #[test]
    fn no_names_are_too_strange(names in proptest::collection::vec(".*", 0..10)) {
        for space in ["sphere:2", "projective:2", "rotations:3", "spd-log-euclidean:3", "kendall:3", "hyperbolic:2"] {
            let layouts = layouts(space);
            for layout in &layouts {
                let _ = layout.check_names(&layouts, &names);
            }
        }
    }
}
