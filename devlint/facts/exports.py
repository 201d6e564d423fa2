"""Functions of NumPy and of what is built on it: they make arrays of the tensors they get.

Measured with NumPy 2.4, pandas, scikit-learn, SciPy, matplotlib, seaborn, plotly and imageio of
2026 on tensors that refuse `__array__`, as those on an accelerator do; estimators and axes make
arrays of what they get, too.
`numpy.mean` and its like are methods of the tensor where they get one, and make an array of a list.
"""

from __future__ import annotations

from devlint.facts.effect import Exports, Fact, Opaque, Wraps

#: What an array is made of that has rows and columns.
IMAGE = "image"
_ARRAYS = (
    "abs absolute angle arccos arcsin arctan argsort around array array2string array_repr "
    "array_str asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray atleast_1d "
    "atleast_2d atleast_3d bincount cbrt ceil clip column_stack conj copy corrcoef cos cosh "
    "cumprod cumsum deg2rad degrees diag diagflat diagonal "
    "digitize dstack ediff1d exp exp2 expand_dims expm1 flatnonzero fliplr flipud floor full_like "
    "gradient histogram histogram_bin_edges hstack isfinite isinf isnan log log10 log1p log2 "
    "logical_not nan_to_num nancumsum negative ones_like pad percentile quantile rad2deg radians "
    "ravel reciprocal repeat reshape resize rint roll rot90 round sign sin sinh sort sqrt square "
    "stack take tan tanh tile transpose tril triu trunc unique unwrap vstack zeros_like "
    "linalg.cholesky linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv "
    "linalg.matrix_power linalg.pinv linalg.qr "
    "linalg.slogdet linalg.svd fft.fft fft.fft2 fft.fftn fft.fftshift fft.ifft fft.ifft2 fft.ifftn "
    "fft.ifftshift fft.irfft fft.rfft fft.rfft2"
)
_PAIRS = (
    "add allclose append arctan2 convolve correlate cov cross divide dot equal floor_divide fmax "
    "fmin fmod greater greater_equal hypot inner intersect1d isclose isin kron less less_equal "
    "logical_and logical_or logical_xor matmul maximum minimum mod multiply not_equal outer "
    "polyfit polyval power remainder searchsorted setdiff1d subtract tensordot true_divide union1d "
    "vdot linalg.solve linalg.lstsq testing.assert_allclose testing.assert_array_almost_equal "
    "testing.assert_array_equal"
)
_REDUCTIONS = (
    "argmax argmin average count_nonzero median nanargmax nanargmin nanmax nanmean nanmedian "
    "nanmin nanprod nanstd nansum nanvar ptp trace linalg.cond linalg.det linalg.matrix_rank "
    "linalg.norm"
)
_OF_LISTS = "all amax amin any max mean min prod std sum var"
_SCORES = (
    "accuracy_score adjusted_rand_score auc average_precision_score balanced_accuracy_score "
    "brier_score_loss classification_report cohen_kappa_score confusion_matrix "
    "explained_variance_score f1_score hamming_loss jaccard_score log_loss matthews_corrcoef "
    "max_error mean_absolute_error mean_absolute_percentage_error mean_squared_error "
    "median_absolute_error multilabel_confusion_matrix mutual_info_score ndcg_score "
    "normalized_mutual_info_score pairwise_distances precision_recall_curve "
    "precision_recall_fscore_support precision_score r2_score recall_score roc_auc_score roc_curve "
    "root_mean_squared_error silhouette_score top_k_accuracy_score zero_one_loss"
)
_PLOTS = (
    "plot bar barh hist2d imshow matshow contour contourf boxplot violinplot semilogx semilogy "
    "loglog stem step pie stackplot pcolor pcolormesh quiver hexbin streamplot spy eventplot "
    "polar specgram fill vlines hlines axvline axhline"
)
#: Those with more that has to be an array.
_PLOTS_OF_MORE = {
    "errorbar": "x y yerr xerr",
    "fill_between": "x y1 y2 where",
    "hist": "x -bins -range -density weights",
    "scatter": "x y s c",
}
_STATISTICS = (
    "pearsonr spearmanr kendalltau ttest_ind ttest_rel entropy wasserstein_distance ks_2samp "
    "describe mode zscore skew kurtosis"
)

_SCIPY_ARRAYS = (
    "linalg.cholesky linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.expm "
    "linalg.inv linalg.logm linalg.lu linalg.norm linalg.null_space linalg.orth linalg.pinv "
    "linalg.qr linalg.schur linalg.sqrtm linalg.svd ndimage.affine_transform "
    "ndimage.binary_closing ndimage.binary_dilation ndimage.binary_erosion "
    "ndimage.binary_fill_holes ndimage.binary_opening ndimage.center_of_mass "
    "ndimage.distance_transform_edt ndimage.gaussian_filter ndimage.label ndimage.maximum_filter "
    "ndimage.median_filter ndimage.rotate ndimage.shift ndimage.sobel ndimage.uniform_filter "
    "ndimage.zoom signal.find_peaks signal.hilbert signal.medfilt signal.resample "
    "signal.spectrogram signal.stft signal.welch spatial.distance.pdist "
    "spatial.distance.squareform optimize.linear_sum_assignment special.erf special.expit "
    "special.gamma special.logit special.logsumexp special.softmax fft.dct fft.fft fft.idct "
    "fft.ifft fft.rfft stats.gaussian_kde stats.iqr stats.rankdata stats.sem "
    "cluster.hierarchy.linkage cluster.vq.kmeans cluster.vq.kmeans2 cluster.vq.whiten"
)
_SCIPY_PAIRS = (
    "ndimage.convolve ndimage.map_coordinates signal.fftconvolve spatial.distance.cdist "
    "spatial.distance.cosine spatial.distance.euclidean stats.f_oneway stats.linregress "
    "stats.mannwhitneyu stats.ttest_1samp stats.wilcoxon cluster.vq.vq"
)

#: By their modules.
_ESTIMATORS = {
    "cluster": "AgglomerativeClustering DBSCAN KMeans MiniBatchKMeans SpectralClustering",
    "decomposition": "PCA FastICA IncrementalPCA KernelPCA NMF TruncatedSVD",
    "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "ensemble": "GradientBoostingClassifier RandomForestClassifier RandomForestRegressor",
    "linear_model": "Lasso LinearRegression LogisticRegression Ridge SGDClassifier",
    "manifold": "Isomap MDS SpectralEmbedding TSNE",
    "mixture": "BayesianGaussianMixture GaussianMixture",
    "neighbors": "KNeighborsClassifier KNeighborsRegressor NearestNeighbors",
    "neural_network": "MLPClassifier MLPRegressor",
    "preprocessing": "LabelEncoder MinMaxScaler Normalizer OneHotEncoder StandardScaler",
    "svm": "LinearSVC OneClassSVM SVC SVR",
    "tree": "DecisionTreeClassifier DecisionTreeRegressor",
}
#: The functions that give axes, or a figure that has some.
_AXES = "axes figure gca gcf subplot subplot2grid subplots subplot_mosaic"
#: Plots of seaborn and of plotly, which take columns of a table, or arrays.
_SEABORN = (
    "barplot boxenplot boxplot clustermap countplot distplot ecdfplot heatmap histplot jointplot "
    "kdeplot lineplot pointplot regplot scatterplot stripplot swarmplot violinplot"
)
_PLOTLY = "area bar box density_heatmap histogram line line_3d pie scatter scatter_3d violin"
#: The functions that give images, and the methods of those that give another one.
_IMAGES = "fromarray new open"
_OF_IMAGES = "convert copy crop filter quantize reduce resize rotate thumbnail transform transpose"
_IMAGEIO = ("imageio", "imageio.v2", "imageio.v3")
#: What objects that make arrays do, by their kinds.
ROLES: dict[str, dict[str, Fact]] = {
    "estimator": dict.fromkeys(
        "fit fit_predict fit_transform inverse_transform kneighbors partial_fit predict "
        "predict_proba score score_samples transform decision_function".split(),
        Exports("X y"),
    ),
    "axes": {
        **dict.fromkeys(
            [*_PLOTS.split(), *_PLOTS_OF_MORE, *"plot_surface scatter3D plot3D".split()],
            Exports("x y z"),
        ),
        **{name: Exports(taken) for name, taken in _PLOTS_OF_MORE.items() if name != "scatter"},
        **dict.fromkeys(
            "add_axes add_subplot gca inset_axes subfigures subplots twinx twiny".split(),
            Opaque("", "axes"),
        ),
        **dict.fromkeys("flatten ravel reshape".split(), Wraps("self")),
    },
    IMAGE: dict.fromkeys(_OF_IMAGES.split(), Opaque("", IMAGE)),
    "h5py.Group": {
        **dict.fromkeys(
            "create_dataset require_dataset".split(), Exports("-name -shape -dtype data")
        ),
        **dict.fromkeys("create_group require_group".split(), Opaque("-name", "h5py.Group")),
    },
}

FUNCTIONS: dict[str, Fact] = {
    **{f"numpy.{name}": Exports("a") for name in _ARRAYS.split()},
    **{f"numpy.{name}": Exports("x1 x2") for name in _PAIRS.split()},
    **{f"numpy.{name}": Exports("a", reduces=True) for name in _REDUCTIONS.split()},
    **{f"numpy.{name}": Exports("a", "lists", reduces=True) for name in _OF_LISTS.split()},
    "numpy.concatenate": Exports("a", of="lists"),
    **{f"sklearn.metrics.{name}": Exports("y_true y_pred") for name in _SCORES.split()},
    **{f"matplotlib.pyplot.{name}": Exports("x y") for name in _PLOTS.split()},
    **{f"matplotlib.pyplot.{name}": Exports(taken) for name, taken in _PLOTS_OF_MORE.items()},
    "matplotlib.figure.Figure": Opaque("", "axes"),
    "h5py.File": Opaque("-name -mode", "h5py.Group"),
    **{f"scipy.stats.{name}": Exports("a b") for name in _STATISTICS.split()},
    **{f"scipy.{name}": Exports("input") for name in _SCIPY_ARRAYS.split()},
    **{f"scipy.{name}": Exports("a b") for name in _SCIPY_PAIRS.split()},
    **{
        f"sklearn.{module}.{name}": Opaque("", "estimator")
        for module, names in _ESTIMATORS.items()
        for name in names.split()
    },
    **{f"matplotlib.pyplot.{name}": Opaque("", "axes") for name in _AXES.split()},
    **{f"seaborn.{name}": Exports("data x y") for name in _SEABORN.split()},
    **{f"plotly.express.{name}": Exports("data_frame x y z") for name in _PLOTLY.split()},
    **{f"PIL.Image.{name}": Opaque("", IMAGE) for name in _IMAGES.split()},
    "plotly.express.imshow": Exports("img"),
    **{f"{name}.imwrite": Exports("-uri im") for name in _IMAGEIO},
    **{f"{name}.mimsave": Exports("-uri ims", of="lists") for name in _IMAGEIO},
    "imageio.imsave": Exports("-uri im"),
    "scipy.io.savemat": Exports("-file_name mdict"),
    "umap.UMAP": Opaque("", "estimator"),
    "numpy.save": Exports("-file arr"),
    "numpy.savetxt": Exports("-fname X"),
    "numpy.savez": Exports("-file *args"),
    "numpy.savez_compressed": Exports("-file *args"),
    "matplotlib.pyplot.imsave": Exports("-fname arr"),
    "skimage.io.imsave": Exports("-fname arr"),
    "skimage.measure.find_contours": Exports("image"),
    "skimage.measure.label": Exports("label_image"),
    "skimage.metrics.mean_squared_error": Exports("image0 image1"),
    "skimage.metrics.peak_signal_noise_ratio": Exports("image_true image_test"),
    "numpy.where": Exports("condition x y"),
    "numpy.einsum": Exports("-subscripts *operands"),
    "pandas.DataFrame": Exports("data", of="tensors"),
    "pandas.Series": Exports("data", of="tensors"),
}
